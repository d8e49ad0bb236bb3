/** Rules on a path that no sealed path can match, because they spell it in another form than the normal one. */
import { namesTool } from '@treblehook/plugin-tool-policy';
import { HookError, pathSpellingOf, type Tool } from '@treblehook/types';
import type { LoadedPolicy } from './policy-file.js';

/**
 * A `TH_MATCHES_NOTHING`, with its place, for each text that a rule compares a path argument with and that every tool of
 * the rule would seal in another form. A tool that is not known to seal its paths is given the benefit of the doubt.
 */
export function idlePaths({ policy, locate }: LoadedPolicy, tools: readonly Tool[]): readonly HookError[] {
  return policy.rules.flatMap((rule, at) =>
    Object.entries(rule.when ?? {}).flatMap(([pointer, predicate]) => {
      const argument = pointer.slice(1);
      const named = tools.filter(
        ({ name, source = 'host', paths = [] }) =>
          paths.includes(argument) && [rule.tools].flat().some((glob) => namesTool(glob, { source, name })),
      );
      const spellings = named.map(pathSpellingOf);
      return textsOf(predicate).flatMap(({ step, text, isGlob }) => {
        const sealed = spellings.map((spelling) => spelling?.(text, isGlob) ?? text);
        const [mend] = sealed;
        if (mend === undefined || sealed.includes(text)) return [];
        const what = `policy rule ${rule.id ?? `#${at + 1}`}: ${JSON.stringify(text)} is no path in its normal form, so it matches none: write ${JSON.stringify(mend)}`;
        return [
          new HookError('TH_MATCHES_NOTHING', { ...locate(['rules', at, 'when', pointer, ...step], 'value'), what }),
        ];
      });
    }),
  );
}

type Compared = { readonly step: readonly (string | number)[]; readonly text: string; readonly isGlob: boolean };

/** Of the predicates that compare with a text as it is written; the others follow it as a path. */
function textsOf(predicate: object): readonly Compared[] {
  return Object.entries(predicate).flatMap(([kind, value]: [string, unknown]) =>
    (Array.isArray(value) && kind === 'in' ? (value as unknown[]) : [value]).flatMap((text, at) => {
      if (typeof text !== 'string' || !['equals', 'in', 'glob'].includes(kind)) return [];
      return [{ step: kind === 'in' ? [kind, at] : [kind], text, isGlob: kind === 'glob' && text.includes('*') }];
    }),
  );
}
