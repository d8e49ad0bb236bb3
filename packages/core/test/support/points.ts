/** One point of each discipline, and small words for what the tests do with them. */
import {
  claimingHook,
  defineHooks,
  modifyingHook,
  voidHook,
  type HookEvents,
  type HookRegistry,
  type RegistryOptions,
} from '@treblehook/types';
import './refusal.js';
import { createHookRegistry } from '../../src/index.js';

export interface Letter {
  readonly text: string;
  readonly list?: readonly unknown[];
  readonly meta?: Readonly<Record<string, unknown>>;
}
export const points = defineHooks({
  seen: voidHook<Letter>({ summary: 'A letter is seen.', aka: ['letter_seen', 'onLetter'] }),
  fill: modifyingHook<Letter, { text: string; note: string; own: string; tags: readonly unknown[] }>({
    discipline: 'merge',
    summary: 'A letter is filled.',
    keys: { text: 'string', note: 'string', own: 'string', tags: 'array' },
    collect: ['tags'],
    hostKeys: ['own'],
  }),
  shape: modifyingHook<
    Letter,
    {
      text: string;
      list: readonly unknown[];
      meta: Readonly<Record<string, unknown>>;
      any: unknown;
      tags: readonly unknown[];
      stop: string;
      fail: string;
    }
  >({
    discipline: 'pipeline',
    summary: 'A letter is shaped.',
    keys: { text: 'string', list: 'array', meta: 'object', any: 'any', tags: 'array', stop: 'string', fail: 'string' },
    collect: ['tags'],
    terminal: ['stop', 'fail'],
  }),
  pick: claimingHook<Letter, { readonly name: string }>({
    discipline: 'route',
    summary: 'Who carries a letter.',
    keys: { name: 'string' },
  }),
  may: claimingHook<Letter, { readonly detail: string }>({
    discipline: 'guard',
    summary: 'Before a letter is sent.',
    keys: { detail: 'string' },
  }),
});
export type Points = typeof points;
export const letter: Letter = Object.freeze({ text: 'hello' });
export const names = ['seen', 'fill', 'shape', 'pick', 'may'] as const;
export type Name = (typeof names)[number];

export const registryOf = (options?: RegistryOptions<Points>): HookRegistry<Points> =>
  createHookRegistry(points, options);

const verbs = { seen: 'Void', fill: 'Modifying', shape: 'Modifying', pick: 'Claiming', may: 'Claiming' } as const;
/** Registers and fires without the compiler, as a caller in plain JavaScript would. */
export const register = (registrar: any, name: Name, handler: unknown, options?: unknown): (() => void) =>
  registrar[`register${verbs[name]}`](name, handler, options);
export const fire = (caller: any, name: Name, payload: unknown = letter, ...lists: unknown[]): Promise<any> =>
  caller[`fire${verbs[name]}`](name, payload, ...lists);

const types = [
  'registered',
  'unregistered',
  'fired',
  'handlerFailed',
  'handlerTimedOut',
  'amendmentRefused',
  'keyShadowed',
  'claimed',
  'denied',
] as const satisfies readonly (keyof HookEvents)[];
export type Told = { readonly type: keyof HookEvents } & Record<string, any>;
/** Everything that the registry's events tell from now on; `only` some types. */
export function hear(registry: HookRegistry<any>, ...only: (keyof HookEvents)[]): Told[] {
  const told: Told[] = [];
  for (const type of only.length > 0 ? only : types)
    registry.events.on(type, (event) => void told.push({ ...event, type }));
  return told;
}
export const faults = ['handlerFailed', 'handlerTimedOut', 'amendmentRefused', 'keyShadowed'] as const;
/** Hears the faults of a registry, as `id code` or `id code key`. */
export function hearFaults(registry: HookRegistry<any>): string[] {
  const told: string[] = [];
  for (const type of faults) {
    registry.events.on(type, ({ by, code, ...rest }: any) => {
      told.push([by.id, code, ...(rest.key === undefined ? [] : [rest.key])].join(' '));
    });
  }
  return told;
}

/** A promise with its ends outside. */
export function deferred<T = void>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((go, no) => {
    resolve = go;
    reject = no;
  });
  return { promise, resolve, reject };
}
