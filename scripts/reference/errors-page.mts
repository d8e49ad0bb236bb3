// Owns docs/reference/errors.md: every code of the error table.
import { code, generated, page, table } from './markdown.mjs';

type Table = Readonly<Record<string, { readonly message: string; readonly when: string }>>;

export function errorsPage(errors: Table): string {
  return page([
    generated('the error table'),
    '# Errors',
    [
      'Every error of Treblehook is a `HookError`. `code` is stable, the text is for people.',
      'Beside it: `hook`, `owner` (`host` or a plugin id), `handlerId`, `cause`, `faults` (of `TH_VERIFY_FAILED`) and `details`.',
      'In a message `{name}` stands for a detail, `{who}` for the owner.',
    ].join('\n'),
    table(
      ['code', 'when', 'message'],
      Object.entries(errors).map(([name, { when, message }]) => [code(name), when, code(message)]),
    ),
  ]);
}
