/** The language of the proof: a scenario is plain data, run on the kernel and on the reference alike. */
import type { Discipline, FieldKind } from '@treblehook/types';

export interface PointSpec {
  readonly name: string;
  readonly discipline: Discipline;
  readonly keys: Readonly<Record<string, FieldKind>>;
  readonly collect: readonly string[];
  readonly terminal: readonly string[];
  readonly hostKeys: readonly string[];
  readonly order?: readonly string[];
  readonly locks?: Readonly<Record<string, readonly string[]>>;
  /** The payload must have a number `x`. */
  readonly fields: boolean;
  /** An amendment whose `c` is `'bad'` is refused. */
  readonly check: boolean;
  readonly budgetMs?: number;
}

export type Nonsense =
  'list' | 'number' | 'text' | 'true' | 'unknown' | 'kind' | 'instance' | 'accessor' | 'cycle' | 'proto';
export type Answer =
  | { readonly is: 'value'; readonly value: unknown }
  | { readonly is: 'nonsense'; readonly what: Nonsense }
  | { readonly is: 'throw' }
  /** Writes to the payload and lets the TypeError out. */
  | { readonly is: 'mutate' }
  /** Writes to the payload, swallows the TypeError, then answers. */
  | { readonly is: 'sneak'; readonly value: unknown };

export interface HandlerSpec {
  /** Names this specification in traces; ids can be missing. */
  readonly label: number;
  readonly point: string;
  readonly owner: string;
  readonly id?: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly timeoutMs?: number;
  readonly onError?: 'abort';
  /** Done when it starts, before it answers. */
  readonly acts: readonly Act[];
  /** `slow`: after 60 ms. `hang`: never. */
  readonly mode: 'sync' | 'async' | 'thenable' | 'slow' | 'hang';
  readonly answer: Answer;
}

export type Act =
  | { readonly do: 'register'; readonly handler: HandlerSpec }
  | { readonly do: 'unregister'; readonly label: number }
  | { readonly do: 'unregisterPlugin'; readonly owner: string }
  | { readonly do: 'replace'; readonly owner: string; readonly handlers: readonly HandlerSpec[]; readonly fails: boolean }
  | { readonly do: 'abort' };

export interface FireSpec {
  readonly do: 'fire';
  readonly point: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly plugins?: readonly string[] | 'all';
  readonly guards: readonly string[];
  readonly without: readonly string[];
  readonly aborted: boolean;
}
export type Step =
  Act | FireSpec | { readonly do: 'verify' } | { readonly do: 'plan'; readonly point: string; readonly plugins?: readonly string[] | 'all' };

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
  readonly hook: string;
  readonly id: string;
  readonly code: string;
  readonly key?: string;
  readonly late?: 'answer' | 'error';
}
/** What one step did. `saw` is the trace: who was called, with which payload and which merged view. */
export interface Entry {
  readonly result: unknown;
  readonly saw: readonly { readonly label: number; readonly payload: unknown; readonly merged?: unknown }[];
  /** Codes of the acts that were refused mid-fire, in order. */
  readonly refused: readonly string[];
  readonly reports: readonly Report[];
  /** Claims and denials, as events tell them. */
  readonly told: readonly { readonly type: string; readonly id: string; readonly kind?: string; readonly code?: string }[];
  /** The caller's signal aborted. */
  readonly aborted: boolean;
}

/** Handlers without an id are numbered by the kernel; the proof does not say how. */
export const anonymous = (id: string): string => id.replace(/~\d+$/, '~');

/** The value that an answer stands for. */
export function valueOf(answer: Answer, point: PointSpec): unknown {
  if (answer.is === 'value' || answer.is === 'sneak') return answer.value;
  if (answer.is !== 'nonsense') return undefined;
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
      return { ...legal(point), zz: 1 };
    case 'kind':
      return { ...legal(point), [point.discipline === 'guard' ? 'ask' : 's']: 5 };
    case 'instance':
      return new (class Odd {
        a = 1;
      })();
    case 'accessor':
      return Object.defineProperty({ ...legal(point) }, 'a', { get: () => 1, enumerable: true });
    case 'cycle': {
      const ring: Record<string, unknown> = {};
      ring['ring'] = ring;
      return { ...legal(point), a: ring };
    }
    case 'proto':
      return JSON.parse('{"__proto__":{"deny":"x","handled":true}}');
  }
}
const legal = ({ discipline }: PointSpec): object =>
  discipline === 'route' ? { handled: true } : discipline === 'guard' ? { ask: 'sure?' } : { n: 3 };
