/** Actions as functions: what stages, handlers, bodies, summarisers and answerers of a fixture do. */
import { compactor, type CompactionOptions } from '@treblehook/plugin-compaction';
import type { JsonValue } from '@treblehook/types';
import type { Action, Actions, CompactionSpec } from './fixture.js';
import { holds } from './match.js';
import { valueAt } from './pointer.js';
import { filled } from './template.js';
import { shortMessages } from './transcript.js';

/** Who was asked, in order: a name, or a name with what it saw. */
export type Effects = (string | readonly [string, JsonValue])[];

type Acting = (event: object) => Promise<unknown>;

/** Without a name it leaves no effect. */
export function acting(name: string | undefined, actions: Actions | undefined, effects: Effects): Acting {
  const list = (actions === undefined ? [] : [actions].flat()) as readonly Action[];
  const compactions = new Map(
    list.flatMap((action) =>
      action.compact === undefined ? [] : [[action, compactor(compactionOf(action.compact, effects))] as const],
    ),
  );
  return async (event) => {
    const action = list.find(({ when }) => holds(when, event));
    if (action?.later === true) await new Promise((resolve) => setImmediate(resolve));
    if (name !== undefined) effects.push(effectOf(name, action, event));
    if (action === undefined) return undefined;
    if (action.hang === true) return new Promise(() => {});
    if (action.throw !== undefined) throw new Error(action.throw);
    const compact = compactions.get(action);
    if (compact !== undefined) return compact(event as Parameters<typeof compact>[0]);
    return action.return === undefined ? undefined : filled(action.return, event);
  };
}

/** What stands in an event is JSON, and what does not is shown as nothing. */
function effectOf(name: string, action: Action | undefined, event: object): Effects[number] {
  if (action?.see === undefined) return name;
  return [name, JSON.parse(JSON.stringify(valueAt(event, action.see) ?? null)) as JsonValue];
}

/** The effects are `summarize` and `flush`. */
export function compactionOf(spec: CompactionSpec, effects: Effects): CompactionOptions {
  const { summarize, flush, ...numbers } = spec;
  const asked = (
    name: string,
    actions: Actions,
  ): ((older: Parameters<typeof shortMessages>[0]) => Promise<unknown>) => {
    const act = acting(name, actions, effects);
    return (older) => act({ older: shortMessages(older) });
  };
  return {
    ...numbers,
    ...(summarize && { summarize: asked('summarize', summarize) as (older: unknown) => Promise<string> }),
    ...(flush && { flush: asked('flush', flush) }),
  };
}
