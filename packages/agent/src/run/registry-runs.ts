/** The runs of a registry, and the loop's own handlers on it, which look up the run in hand. */
import { HookError, isHookError, type AgentHooks, type FromRun, type HookRegistry } from '@treblehook/types';
import type { Hooks } from '../hooks.js';
import type { ReadHooks } from '../plain-hooks.js';
import { AbsentPlugins } from './absent-plugins.js';
import { patienceOf, withinGrace } from './grace.js';
import type { RunState } from './run-state.js';
import { isPromiseLike } from './shared-prototypes.js';

type Registry = HookRegistry<AgentHooks>;

/**
 * Keyed by the registry, since several agents may share one and its handlers are registered once; it holds no registry
 * alive, and no registry sees another's runs.
 */
const known = new WeakMap<Registry, RegistryRuns>();

export function runsOf(registry: Registry): RegistryRuns {
  let runs = known.get(registry);
  if (runs === undefined) known.set(registry, (runs = new RegistryRuns(registry)));
  return runs;
}

export class RegistryRuns {
  readonly #registry: Registry;
  readonly #open = new Map<string, RunState>();
  readonly #absent: AbsentPlugins;
  #hasHooks = false;
  #isMetered = false;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#absent = new AbsentPlugins(registry);
    asOwner(() =>
      registry.registerVoid(
        'afterCompaction',
        ({ origin, outcome, reason, tokensBefore, tokensAfter, dropping, ms }) =>
          this.#open.get(origin.runId)?.tellCompaction({
            outcome,
            tokensBefore,
            dropping: dropping.flatMap(({ id }) => id ?? []),
            ms,
            ...(reason === undefined ? {} : { reason }),
            ...(tokensAfter === undefined ? {} : { tokensAfter }),
          }),
        { id: 'loop' },
      ),
    );
  }

  /** The run is in hand until it is taken back. */
  add(run: RunState): () => void {
    this.#absent.look(run.config);
    this.#open.set(run.id, run);
    return () => {
      this.#open.delete(run.id);
    };
  }

  /** Plain hooks are asked: the tenant `hooks` is registered, once. */
  useHooks(): void {
    if (this.#hasHooks) return;
    const options = { id: 'hooks', onError: 'abort', timeoutMs: 'caller' } as const;
    const registry = this.#registry;
    registry.registerModifying(
      'beforeLLM',
      (payload) =>
        this.#ask(payload, ({ beforeLLM }, of) => {
          const { messages, tools, model, purpose } = payload;
          return beforeLLM?.({ messages, tools, model, purpose, ...of });
        }),
      options,
    );
    registry.registerModifying(
      'beforeTool',
      (payload) =>
        this.#ask(payload, ({ beforeTool }, of) => {
          const { name, args, callId: id } = payload;
          return beforeTool?.({ name, args, id, ...of });
        }),
      options,
    );
    registry.registerModifying(
      'afterTool',
      (payload) =>
        this.#ask(payload, ({ afterTool }, of, run) => {
          const { name, args, result, callId: id } = payload;
          const given: unknown = afterTool?.({ name, args, result, id, ...of });
          // it is fired without the signal of the run, which alone would end it
          return (isPromiseLike(given) ? withinGrace(run, given, patienceOf) : given) as ReturnType<
            NonNullable<Hooks['afterTool']>
          >;
        }),
      options,
    );
    this.#hasHooks = true;
  }

  #ask<R>({ origin }: FromRun, call: (hooks: ReadHooks, of: OfRun, run: RunState) => R): R | undefined {
    const { turn, runId } = origin;
    const run = this.#open.get(runId);
    return run?.config.hooks && call(run.config.hooks, { turn, runId, signal: run.abort.signal }, run);
  }

  /** Fires are told to the sinks of their runs. Stage times are taken only from then on. */
  useMetrics(): void {
    if (this.#isMetered) return;
    this.#isMetered = true;
    this.#registry.events.on('fired', ({ hook, payload, ms, stages }) => {
      const origin = (payload as Partial<FromRun> | undefined)?.origin;
      if (origin === undefined || stages.length === 0) return;
      this.#open.get(origin.runId)?.measure(() => {
        const handlers = stages.map(({ by, outcome, ms: took }) => ({ id: by.id, outcome, ms: took }));
        return { type: 'hook', origin, hook, ms, handlers };
      });
    });
  }
}

/** The loop's ids are the loop's: another copy of this package is on the registry. */
function asOwner(register: () => void): void {
  try {
    register();
  } catch (error) {
    if (!isHookError(error) || error.code !== 'TH_ID_TAKEN') throw error;
    const what =
      "registry: it has a handler 'loop', of another copy of @treblehook/agent: give each copy its own registry";
    throw new HookError('TH_OPTION_INVALID', { what, cause: error });
  }
}

/** What every event of plain hooks has. */
interface OfRun {
  readonly turn: number;
  readonly runId: string;
  readonly signal: AbortSignal;
}
