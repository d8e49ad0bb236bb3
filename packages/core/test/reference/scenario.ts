/** The language of the proof: a scenario is plain data, run on the kernel and on the reference alike. */
import type { Discipline, FieldKind } from '@treblehook/types';

export interface PointSpec {
  readonly name: string;
  readonly discipline: Discipline;
  readonly keys: Readonly<Record<string, FieldKind>>;
  readonly collect: readonly string[];
  readonly terminal: readonly string[];
  readonly hostKeys: readonly string[];
  readonly order: readonly string[] | undefined;
  readonly locks: Readonly<Record<string, readonly string[]>> | undefined;
  /** The payload must have a number `x`. */
  readonly fields: boolean;
  readonly budgetMs: number | undefined;
}

/** An answer that no point of its discipline takes. `checked` is refused by the `check` of the point. */
export const nonsense = [
  'list',
  'number',
  'text',
  'true',
  'unknown',
  'kind',
  'instance',
  'accessor',
  'cycle',
  'proto',
  'checked',
] as const;
export type Nonsense = (typeof nonsense)[number];
export type Answer =
  | { readonly is: 'abstain' | 'set' | 'claim' | 'deny' | 'ask'; readonly value: any }
  | { readonly is: 'nonsense'; readonly what: Nonsense }
  /** `mutate` writes to the payload and lets the TypeError out. */
  | { readonly is: 'throw' | 'mutate' };

export interface HandlerSpec {
  /** Names this specification in traces; ids can be missing. */
  readonly label: number;
  readonly point: string;
  readonly owner: string;
  readonly id: string | undefined;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly timeoutMs: number | undefined;
  readonly onError: 'abort' | undefined;
  /** Done when it starts, before it answers. */
  readonly acts: readonly Act[];
  /** Writes to the payload and swallows the TypeError. */
  readonly sneaks: boolean;
  /** `slow`: after 60 ms. `hang`: never. */
  readonly mode: 'sync' | 'async' | 'thenable' | 'slow' | 'hang';
  readonly answer: Answer;
}

export type Act =
  | { readonly do: 'register'; readonly handler: HandlerSpec }
  | { readonly do: 'unregister'; readonly label: number }
  | { readonly do: 'unregisterPlugin'; readonly owner: string }
  | {
      readonly do: 'replace';
      readonly owner: string;
      readonly handlers: readonly HandlerSpec[];
      /** The registering function throws when it has registered them all. */
      readonly fails: boolean;
    }
  | { readonly do: 'abort' };

export interface FireSpec {
  readonly do: 'fire';
  readonly point: string;
  readonly payload: Readonly<Record<string, any>>;
  readonly plugins: readonly string[] | 'all' | undefined;
  readonly guards: readonly string[];
  readonly without: readonly string[];
  readonly aborted: boolean;
  /** Somebody listens to `fired`. */
  readonly watched: boolean;
}
export type Step = Act | FireSpec | { readonly do: 'verify' } | { readonly do: 'plan'; readonly point: string };

export interface Scenario {
  readonly points: readonly PointSpec[];
  readonly order: Readonly<Record<string, readonly string[]>>;
  readonly locks: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly budgets: Readonly<Record<string, number>>;
  readonly plugins: readonly string[];
  readonly steps: readonly Step[];
}

/** One fault that was told: which handler, which code, which key. */
export interface Report {
  readonly id: string;
  readonly code: string;
  readonly key?: string;
  readonly late?: 'answer' | 'error';
}
/** What one step did. */
export interface Entry {
  readonly result: unknown;
  /** The trace: who was called, with which payload and which merged view. */
  readonly saw: readonly { readonly label: number; readonly payload: unknown; readonly merged?: unknown }[];
  /** Codes of the acts that were refused mid-fire, in order. */
  readonly refused: readonly string[];
  readonly reports: readonly Report[];
  /** Claims and denials, as events tell them. */
  readonly told: readonly {
    readonly type: string;
    readonly id: string;
    readonly kind?: string;
    readonly code?: string;
  }[];
}

/** Handlers without an id are numbered by the kernel; the proof does not say how. */
export const anonymous = (id: string): string => id.replace(/~\d+$/, '~');

/** The value that an answer stands for. */
export function valueOf(answer: Answer, discipline: Discipline): unknown {
  if ('value' in answer) return answer.value;
  if (answer.is !== 'nonsense') return undefined;
  const legal = discipline === 'route' ? { handled: true } : discipline === 'guard' ? { ask: 'sure?' } : { n: 3 };
  switch (answer.what) {
    case 'list':
      return [{ a: 1 }];
    case 'number':
      return 7;
    case 'text':
      return 'deny';
    case 'true':
      return true;
    case 'unknown':
      return { ...legal, zz: 1 };
    case 'kind':
      return { ...legal, [discipline === 'guard' ? 'ask' : 's']: 5 };
    case 'instance':
      return new (class Odd {
        a = 1;
      })();
    case 'accessor':
      return Object.defineProperty({ ...legal }, 'a', { get: () => 1, enumerable: true });
    case 'cycle': {
      const ring: Record<string, unknown> = {};
      ring['ring'] = ring;
      return { ...legal, a: ring };
    }
    case 'proto':
      return JSON.parse('{"__proto__":{"deny":"x","handled":true}}');
    case 'checked':
      return discipline === 'merge' || discipline === 'pipeline' ? { c: 'bad' } : { handled: 'yes' };
  }
}
