/** What a tool that is not known here is said to declare: by a case, or by a flag. */
import type { PolicedTool } from '@treblehook/plugin-tool-policy';
import { givenInline, Setting, toolHints, type ToolAnnotations } from '@treblehook/types';
import { UsageError } from '../usage-error.js';

/** What a guard sees of a tool beside its name. */
export type Declared = Omit<PolicedTool, 'source' | 'name'>;

export const declaredKeys = ['annotations', 'paths', 'commands', 'urls'] as const;
export type DeclaredFields = { readonly [K in (typeof declaredKeys)[number]]?: Setting };

/** `undefined` when nothing is said. Throws `TH_CONFIG_INVALID`. */
export function readDeclared({ annotations, paths, commands, urls }: DeclaredFields): Declared | undefined {
  if ((annotations ?? paths ?? commands ?? urls) === undefined) return undefined;
  return {
    ...(annotations && { annotations: readHints(annotations) }),
    ...(paths && { paths: namesIn(paths) }),
    ...(commands && { commands: namesIn(commands) }),
    ...(urls && { urls: namesIn(urls) }),
  };
}

/** The same as one JSON text. Throws `TH_CONFIG_INVALID`, and `UsageError` for what is no JSON. */
export function declaredBy(json: string | undefined): Declared | undefined {
  if (json === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new UsageError(
      `--declares is no JSON (${(error as Error).message}): write it as '{"annotations":{"readOnlyHint":true},"paths":["path"]}', in single quotes`,
    );
  }
  return readDeclared(new Setting(value, givenInline('--declares')).fields(declaredKeys));
}

function readHints(annotations: Setting): ToolAnnotations {
  const given = Object.entries(annotations.fields(toolHints));
  return Object.fromEntries(given.map(([name, hint]) => [name, isSo(hint)]));
}

const isSo = (hint: Setting): boolean =>
  typeof hint.value === 'boolean' ? hint.value : hint.refuse(`${hint.name} is neither true nor false`);

const namesIn = (setting: Setting): readonly string[] => setting.texts().map((one) => one.text());
