/** Composing plain hooks: several objects become one that runs them in the order of the arguments. */
import { fold } from '@treblehook/core';
import { HookError } from '@treblehook/types';
import { memberOf } from './run/shared-prototypes.js';
import { hookKinds, type Hooks } from './hooks.js';

type Kind = keyof Hooks;
interface Stage {
  readonly self: object;
  readonly callback: (e: never) => unknown;
}
/** How a kind combines: the keys that later stages see, and those that end the chain. */
interface Discipline {
  readonly feeds: readonly string[];
  readonly terminal: readonly string[];
}
const disciplines: Readonly<Record<Kind, Discipline>> = {
  beforeLLM: { feeds: ['messages', 'tools'], terminal: ['veto'] },
  afterLLM: { feeds: [], terminal: [] },
  beforeTool: { feeds: ['args'], terminal: ['result', 'error'] },
  afterTool: { feeds: ['result'], terminal: [] },
};

/**
 * `undefined` when no stage has a callback: the same as no hooks. Each stage is awaited before the next, is its own
 * `this`, and sees what the stages before it returned; errors pass unwrapped. Throws `TH_HOOKS_INVALID` for a stage that
 * is no object, for a value of the four kinds that is no function, and for another key in a plain object.
 */
export function chainHooks(...hooks: readonly (Hooks | null | undefined)[]): Hooks | undefined {
  const stages: object[] = [];
  for (const [at, stage] of hooks.entries()) {
    if (stage === undefined || stage === null) continue;
    assertHooks(stage, `argument ${at + 1}`);
    stages.push(stage);
  }
  const chained: { [K in Kind]?: (e: never) => Promise<unknown> } = {};
  for (const kind of hookKinds) {
    const present = stages.flatMap((self): Stage[] => {
      const callback = memberOf(self, kind) as Stage['callback'] | null | undefined;
      return callback === undefined || callback === null ? [] : [{ self, callback }];
    });
    if (present.length > 0) chained[kind] = kind === 'afterLLM' ? observe(present) : amend(present, disciplines[kind]);
  }
  return Object.keys(chained).length === 0 ? undefined : (chained as Hooks);
}

const observe =
  (stages: readonly Stage[]) =>
  async (e: object): Promise<void> => {
    for (const { self, callback } of stages) await Reflect.apply(callback, self, [e]);
  };

const amend =
  (stages: readonly Stage[], { feeds, terminal }: Discipline) =>
  async (e: object): Promise<unknown> => {
    const set = Object.create(null) as Record<string, unknown>;
    let isAmended = false;
    let seen = e;
    for (const { self, callback } of stages) {
      const returned: unknown = await Reflect.apply(callback, self, [seen]);
      if (typeof returned !== 'object' || returned === null) continue;
      if (!fold(set, returned as Record<string, unknown>)) continue;
      isAmended = true;
      if (terminal.some((key) => Object.hasOwn(set, key))) break;
      seen = { ...e };
      for (const key of feeds) if (Object.hasOwn(set, key)) (seen as Record<string, unknown>)[key] = set[key];
    }
    return isAmended ? set : undefined;
  };

/** Throws `TH_HOOKS_INVALID`; `who` names the object. */
export function assertHooks(stage: object, who: string): void {
  const refuse = (what: string): never => {
    throw new HookError('TH_HOOKS_INVALID', { what: `${who} ${what}` });
  };
  if (typeof stage !== 'object' || stage === null) return refuse('is no object');
  if (Array.isArray(stage)) return refuse('is a list: compose several by chainHooks(first, second)');
  for (const kind of hookKinds) {
    const value: unknown = (stage as Hooks)[kind];
    if (value !== undefined && value !== null && typeof value !== 'function')
      refuse(`has a '${kind}' that is no function`);
  }
  const proto: unknown = Object.getPrototypeOf(stage);
  if (proto !== Object.prototype && proto !== null) return; // an instance may keep state of its own
  for (const key of Object.keys(stage)) {
    if (!(hookKinds as readonly string[]).includes(key)) {
      refuse(`has the key '${key}': there is ${hookKinds.join(', ')}`);
    }
  }
}
