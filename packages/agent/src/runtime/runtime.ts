/** The runtime: agents that share a registry, a store, ports and turns. */
import { frozen } from '@treblehook/core';
import { longestTimerMs, type Answer, type ChannelMessage } from '@treblehook/types';
import { agentOf } from '../agent.js';
import type { Config } from '../config.js';
import type { Agent, ResumeOptions } from '../contract.js';
import { Current } from '../current.js';
import { readOptions } from '../options.js';
import { assertKnown, invalid, meant, whole } from '../read-option.js';
import { withTask } from '../read-update.js';
import type { SessionLease } from '../session/session-lease.js';
import type { ChannelRuntime, ChannelRuntimeOptions, ReceiveOptions } from './channel.js';
import { Inbox } from './inbox.js';
import { Receiver, type Addressee } from './receive.js';
import type {
  Runtime,
  RuntimeDescription,
  RuntimeOptions,
  ShutdownOptions,
  ShutdownReport,
} from './runtime-contract.js';
import { inAgent, readRuntime, type DefinedAgent, type RuntimeSettings } from './runtime-options.js';
import { Shutdown } from './shutdown.js';
import { StoreWatch } from './store-watch.js';
import { Tasks } from './tasks.js';

/** Throws `TH_OPTION_INVALID`, `TH_TOOL_INVALID` and `TH_HOOKS_INVALID`. */
export function createRuntime(options: ChannelRuntimeOptions): ChannelRuntime;
export function createRuntime(options: RuntimeOptions): Runtime;
export function createRuntime(options: RuntimeOptions | ChannelRuntimeOptions): Runtime {
  const read = readRuntime(options);
  const { agents: definitions, clock, maxConcurrentTurns, inboxCap, inboxWaitMs, maxDepth, maxChildren } = read;
  const { fetch, channels } = read;
  const inbox = new Inbox({ cap: inboxCap, waitMs: inboxWaitMs, maxTurns: maxConcurrentTurns ?? Infinity, clock });
  const watch = new StoreWatch();
  const leases = new Set<SessionLease>();
  const over = new AbortController();
  const agents = new Map<string, Agent>();
  const addressees = new Map<string, Addressee>();
  const childOf = (name: string): Current | undefined => addressees.get(name)?.current;
  for (const [name, one] of definitions) {
    const common = { inbox, watch, leases, over };
    const current = new Current(inAgent(name, () => configOf(one, definitions, common, childOf, read)));
    const agent = agentOf(current);
    agents.set(name, agent);
    addressees.set(name, { agent, current });
  }
  const receiver = channels && new Receiver(channels, addressees, fetch, { clock, waitMs: inboxWaitMs });
  const names = frozen([...agents.keys()]);
  const ending = {
    agents,
    inbox,
    receiver,
    clock,
    watch,
    leases,
    over,
    bodyMs: addressees.values().next().value!.current.now.graceMs,
  };
  const shutdown = new Shutdown(ending);
  let down: Promise<ShutdownReport> | undefined;

  return Object.freeze({
    ...(receiver && {
      receive: (message: ChannelMessage, given?: ReceiveOptions) => receiver.receive(message, given),
      resume: (sessionId: string, answer?: Answer, given?: ResumeOptions) => receiver.resume(sessionId, answer, given),
    }),
    names,
    agent(name: string) {
      const agent = agents.get(name);
      if (agent === undefined) throw invalid(`'${name}' is no agent of the runtime${meant(name, names)}`);
      return agent;
    },
    describe: (): RuntimeDescription =>
      frozen({
        agents: [...agents.values()].map((agent) => agent.describe()),
        maxConcurrentTurns,
        inboxCap,
        inboxWaitMs,
        maxDepth,
        maxChildren,
        channels: [...(channels?.senders.keys() ?? [])],
        running: inbox.open.length,
        waiting: Object.fromEntries(names.map((name) => [name, inbox.waitingOf(name)])),
      }),
    async shutdown(given: ShutdownOptions = {}) {
      assertKnown(given, { graceMs: true, settleMs: true }, 'option of shutdown');
      const graceMs = whole('graceMs', given.graceMs, 0, longestTimerMs) ?? 10_000;
      const settleMs = whole('settleMs', given.settleMs, 0, longestTimerMs) ?? 5_000;
      if (down === undefined) return (down = shutdown.end(graceMs, settleMs));
      // whoever asks again may have less patience, and never more
      const cancel = clock.after(graceMs, () => shutdown.suspend());
      return down.finally(cancel);
    },
  });
}

/** What the agents have in common. */
interface Common {
  readonly inbox: Inbox;
  readonly watch: StoreWatch;
  readonly leases: Set<SessionLease>;
  readonly over: AbortController;
}

/** An agent as it was defined, with the tool `task` when there is somebody to task. */
function configOf(
  { options, description, mayTask }: DefinedAgent,
  definitions: ReadonlyMap<string, DefinedAgent>,
  { inbox, watch, leases, over }: Common,
  childOf: (name: string) => Current | undefined,
  settings: RuntimeSettings,
): Config {
  const { forget, isShared } = settings;
  const read = readOptions(options, inbox);
  // nobody waits for a store of the runtime's own
  const store = isShared ? watch.over(read.store) : read.store;
  const config = Object.freeze({ ...read, description, forget, isShared, store, leases, over: over.signal });
  if (mayTask.length === 0) return config;
  const described = new Map(mayTask.map((name) => [name, definitions.get(name)!.description]));
  return withTask({ ...config, tasks: new Tasks(described, childOf, settings) });
}
