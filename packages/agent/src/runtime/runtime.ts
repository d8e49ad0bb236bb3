/** The runtime: agents that share a registry, a store, ports and turns. */
import { frozen } from '@treblehook/core';
import { HookError, longestTimerMs, ownFields, type ChannelMessage } from '@treblehook/types';
import { agentOf } from '../agent.js';
import { withPersonality, type Config } from '../config.js';
import type { Agent } from '../contract.js';
import { readOptions } from '../options.js';
import { assertKnown, invalid, meant, whole } from '../read-option.js';
import { Suspension } from '../run/run-abort.js';
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
import { Tasks } from './tasks.js';

/** Throws `TH_OPTION_INVALID`, `TH_TOOL_INVALID` and `TH_HOOKS_INVALID`. */
export function createRuntime(options: ChannelRuntimeOptions): ChannelRuntime;
export function createRuntime(options: RuntimeOptions): Runtime;
export function createRuntime(options: RuntimeOptions | ChannelRuntimeOptions): Runtime {
  const read = readRuntime(options);
  const { agents: definitions, clock, maxConcurrentTurns, inboxCap, inboxWaitMs, maxDepth, maxChildren } = read;
  const { fetch, channels } = read;
  const inbox = new Inbox({ cap: inboxCap, waitMs: inboxWaitMs, maxTurns: maxConcurrentTurns ?? Infinity, clock });
  const agents = new Map<string, Agent>();
  const addressees = new Map<string, Addressee>();
  const childOf = (name: string): Config | undefined => addressees.get(name)?.config;
  for (const [name, one] of definitions) {
    const config = inAgent(name, () => configOf(one, definitions, inbox, childOf, read));
    const agent = agentOf(config);
    agents.set(name, agent);
    addressees.set(name, { agent, config });
  }
  const receiver = channels && new Receiver(channels, addressees, fetch, clock);
  const names = frozen([...agents.keys()]);
  let down: Promise<ShutdownReport> | undefined;

  function suspend(): void {
    for (const run of inbox.open) run.abort.abort(new Suspension('the runtime was shut down'));
    receiver?.stop(new Suspension('the runtime was shut down'));
  }

  async function end(graceMs: number): Promise<ShutdownReport> {
    receiver?.close();
    const refused = inbox.close();
    const inHand = inbox.open;
    await Promise.all([inbox.empty(graceMs), receiver?.empty(graceMs)]);
    suspend();
    await Promise.all([inbox.empty(Infinity), receiver?.empty(Infinity)]);
    await Promise.all([...agents.values()].map((agent) => agent.close()));
    const suspended = inHand
      .filter((run) => run.endedAs === 'pending' && run.abort.isSuspended)
      .map(({ config, sessionId, id }) => ownFields({ agent: config.name, sessionId, runId: id }));
    return frozen(ownFields({ finished: inHand.length - suspended.length, suspended, refused }));
  }

  return Object.freeze({
    ...(receiver && {
      receive: (message: ChannelMessage, given?: ReceiveOptions) => receiver.receive(message, given),
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
      assertKnown(given, { graceMs: true }, 'option of shutdown');
      const graceMs = whole('graceMs', given.graceMs, 0, longestTimerMs) ?? 10_000;
      if (down === undefined) return (down = end(graceMs));
      // whoever asks again may have less patience, and never more
      const cancel = clock.after(graceMs, suspend);
      return down.finally(cancel);
    },
  });
}

/** An agent as it was defined, with the tool `task` when there is somebody to task. */
function configOf(
  { options, description, mayTask }: DefinedAgent,
  definitions: ReadonlyMap<string, DefinedAgent>,
  inbox: Inbox,
  childOf: (name: string) => Config | undefined,
  settings: RuntimeSettings,
): Config {
  const { forget } = settings;
  const config = Object.freeze({ ...readOptions(options, inbox), description, forget });
  if (mayTask.length === 0) return config;
  const described = new Map(mayTask.map((name) => [name, definitions.get(name)!.description]));
  const tasks = new Tasks(described, childOf, settings);
  if (config.tools.some(({ name }) => name === tasks.tool.name)) {
    throw new HookError('TH_TOOL_INVALID', {
      tool: tasks.tool.name,
      what: 'an agent that has agents to task has a tool of this name',
    });
  }
  return withPersonality({ ...config, tasks, tools: [...config.tools, tasks.tool] }, config.personality);
}
