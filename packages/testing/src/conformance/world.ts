/** What a case runs in: the process of the moment, and what outlives it (store, clock, model, what bodies have done). */
import { memoryStore, type Agent, type Metric, type MetricSink, type Session } from '@treblehook/agent';
import { manualClock, scriptedModel } from '@treblehook/agent/testing';
import type { Request } from '@treblehook/types';
import { keepFaults, type KeptFault } from '../faults.js';
import type { Effects } from './actions.js';
import { answererOf, levelOf, registryOf, shortMetric, stepOf, toolOf } from './build.js';
import type { AgentParts, Entry, Parts } from './entry.js';
import type { AgentSpec, Setup } from './fixture.js';
import { messagesOf } from './transcript.js';

export class World {
  readonly effects: Effects = [];
  readonly metrics: { readonly sink: string; readonly metric: object }[] = [];
  readonly clock = manualClock();
  readonly model;
  /** What a session was seen to wait for. */
  readonly requests = new Map<string, readonly Request[]>();
  readonly #entry: Entry;
  readonly #store = memoryStore({ now: this.clock.date });
  readonly #starts = new Map<string, number>();
  readonly #begun = new Set<string>();
  readonly #faults: (readonly KeptFault[])[] = [];
  #setup: Setup;
  #process: ReturnType<Entry['open']>;

  constructor(entry: Entry, setup: Setup) {
    this.#entry = entry;
    this.#setup = setup;
    // a port of a model knows nothing of processes: its script goes on behind a restart
    this.model = scriptedModel((setup.model ?? []).map(stepOf));
    this.#process = entry.open(this.#parts());
  }

  /** The old process is left as it is, the way one is that dies. */
  restart(changes: Setup): void {
    this.#setup = { ...this.#setup, ...changes };
    this.#process = this.#entry.open(this.#parts());
  }

  get faults(): readonly KeptFault[] {
    return this.#faults.flat();
  }

  /** A session begins with the transcript of the set-up when it is opened for the first time. */
  session(agentName: string, id: string): Session {
    const agent: Agent = this.#process.agent(agentName);
    const { transcript } = this.#setup;
    if (transcript === undefined || this.#begun.has(id)) return agent.session(id);
    this.#begun.add(id);
    return agent.session({ id, messages: messagesOf(transcript) });
  }

  close(): Promise<void> {
    return this.#process.close();
  }

  #parts(): Parts {
    const { tools = [], answerer, registry: spec = {}, runtime = {}, agents = { agent: {} } } = this.#setup;
    const registry = registryOf(spec, this.effects);
    this.#faults.push(keepFaults(registry.events));
    return {
      registry,
      model: this.model,
      tools: tools.map((tool) => toolOf(tool, this.effects, this.#starts)),
      store: this.#store,
      clock: this.clock,
      ...(answerer === undefined ? {} : { answerer: answererOf(answerer, this.effects) }),
      runtime: levelOf(runtime, this.effects, this.#sink),
      agents: Object.fromEntries(Object.entries(agents).map(([name, one]) => [name, this.#agent(name, one)])),
    };
  }

  #agent(name: string, { system, unguarded, onAsk, ...level }: AgentSpec): AgentParts {
    return {
      personality: { id: name, ...(system === undefined ? {} : { system }) },
      ...(unguarded === undefined ? {} : { unguarded }),
      ...(onAsk === undefined ? {} : { onAsk }),
      ...levelOf(level, this.effects, this.#sink),
    };
  }

  readonly #sink =
    (sink: string): MetricSink =>
    (metric: Metric) =>
      void this.metrics.push({ sink, metric: shortMetric(metric) });
}
