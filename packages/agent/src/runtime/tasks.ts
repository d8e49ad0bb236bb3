/** The tool `task`: a call of it is the run of another agent of the runtime, under the rights of the run that made it. */
import { adopt, closeClass, frozen } from '@treblehook/core';
import {
  HookError,
  ownFields,
  type CallOrigin,
  type RunStatus,
  type Tool,
  type ToolAnswer,
  type ToolContext,
  type ToolResult,
} from '@treblehook/types';
import type { ToolCall } from '../calls/tool-call.js';
import { childOf, limitsOf, withPersonality, type Config, type TaskPort } from '../config.js';
import { RegisteredTool } from '../door/registered-tool.js';
import { errorResult } from '../door/tool-result.js';
import { least, Share } from '../run/budget.js';
import { fireStep, type Step } from '../run/fire-step.js';
import type { RunState } from '../run/run-state.js';
import type { AgentStream, RunResult } from '../run/run-told.js';
import type { OpenRun } from '../session/open-run.js';
import { Replay, type EndedRun } from '../session/replay.js';
import { createSession } from '../session/session.js';
import { SessionLog } from '../session/session-log.js';
import { endedText } from './task-result.js';

export interface TaskArgs {
  readonly agent: string;
  readonly prompt: string;
}

export interface TaskLimits {
  /** Levels of children below an agent that nobody has tasked. */
  readonly maxDepth: number;
  /** Tasks of one run. */
  readonly maxChildren: number;
}

interface InHand {
  readonly run: RunState;
  readonly call: ToolCall;
}

/** The tasks that one agent of a runtime may give. */
export class Tasks implements TaskPort {
  readonly agents: readonly string[];
  readonly tool: RegisteredTool;
  readonly #configOf: (name: string) => Config;
  readonly #limits: TaskLimits;
  readonly #inHand = new WeakMap<ToolContext, InHand>();
  /** Calls whose child has run in this process: what it used is counted. */
  readonly #known = new WeakSet<ToolCall>();
  readonly #children = new WeakMap<RunState, number>();

  constructor(agents: ReadonlyMap<string, string>, configOf: (name: string) => Config, limits: TaskLimits) {
    this.agents = frozen([...agents.keys()]);
    this.#configOf = configOf;
    this.#limits = limits;
    this.tool = new RegisteredTool(
      taskTool(agents, (args, ctx) => this.#give(args, ctx)),
      'host',
      true,
    );
  }

  attach(ctx: ToolContext, run: RunState, call: ToolCall): void {
    this.#inHand.set(ctx, { run, call });
  }

  async #give(args: TaskArgs, ctx: ToolContext): Promise<ToolAnswer> {
    const inHand = this.#inHand.get(ctx);
    if (inHand === undefined) throw new HookError('TH_NOT_CLEARED', { tool: 'task', what: 'no run has called it' });
    const { run, call } = inHand;
    const share = new Share(run.budget, !this.#known.has(call));
    this.#known.add(call);
    const sessionId = `${run.sessionId}/${call.origin.callId}`;
    const log = await logOf(run.config, sessionId);
    const child = new Child(run, call, args.agent, sessionId, share);
    if (log.ended !== undefined) return child.wasOver(log.ended);
    const base = this.#configOf(args.agent);
    const mayTask = run.config.path.length < this.#limits.maxDepth;
    if (log.open !== undefined) {
      // it goes on as who it was; one that the agent has no more is refused by its session
      const who = base.personalities.get(log.open.personality);
      const as = who === undefined ? base : withPersonality(base, who);
      const { budget, model } = this.#terms(run, as);
      const config = childOf(as, run, { budget, model, share, callId: call.origin.callId, mayTask });
      return child.goOn(config, log.open, ctx);
    }
    const why = this.#refusal(run);
    if (why !== undefined) {
      call.reason = why;
      return errorResult(`the task was not given: ${why}`);
    }
    return this.#spawn(child, base, args, mayTask, ctx);
  }

  #refusal(run: RunState): string | undefined {
    const { maxDepth, maxChildren } = this.#limits;
    if (run.config.path.length > maxDepth) return `agents may task one another ${maxDepth} levels deep`;
    const count = (this.#children.get(run) ?? 0) + 1;
    if (count > maxChildren) return `a run may give ${maxChildren} tasks`;
    this.#children.set(run, count);
    return undefined;
  }

  #terms({ budget }: RunState, { limits, model }: Config) {
    return { budget: least(limitsOf(limits), budget.left()), model };
  }

  async #spawn(child: Child, base: Config, args: TaskArgs, mayTask: boolean, ctx: ToolContext): Promise<ToolAnswer> {
    const { run, call } = child;
    const terms = this.#terms(run, base);
    let step: Step<'subagentSpawning'>;
    try {
      step = await fireStep(run, 'caller', 'subagentSpawning', {
        ...child.told,
        prompt: args.prompt,
        personality: base.personality.id,
        ...terms,
      });
    } catch (error) {
      if (!(error instanceof HookError) || error.handlerId === undefined) throw error;
      call.by = error.handlerId;
      return errorResult(`the hook '${error.handlerId}' failed on subagentSpawning: the task was not given`);
    }
    const { prompt = args.prompt, budget, personality = base.personality.id, veto } = step.amended;
    if (veto !== undefined) {
      call.by = step.by?.id;
      call.reason = veto;
      return errorResult(`refused by '${step.by?.id ?? 'a hook'}': ${veto}`);
    }
    const who = base.personalities.get(personality);
    if (who === undefined) {
      const all = [...base.personalities.keys()].join(', ');
      return errorResult(
        `the task was not given: '${personality}' is no personality of '${base.name}', which has ${all}`,
      );
    }
    const as = withPersonality(base, who);
    const { model = as.model } = step.amended;
    if (!base.models.has(model)) return errorResult(`the task was not given: '${model}' is no model of '${base.name}'`);
    if (budget?.steps === 0) return errorResult('the task was not given: it may take no step');
    const config = childOf(as, run, {
      budget: budget === undefined ? terms.budget : least(terms.budget, ownFields(budget)),
      model,
      share: child.share,
      callId: call.origin.callId,
      mayTask,
    });
    await run.caller.fireVoid('subagentSpawned', { ...child.told, childSessionId: child.sessionId });
    run.abort.throwIfAborted();
    return child.begin(config, prompt, ctx);
  }
}
closeClass(Tasks);

/** One child, from its beginning, or from where its log ends, to what its task gives. */
class Child {
  readonly run: RunState;
  readonly call: ToolCall;
  readonly agent: string;
  readonly sessionId: string;
  readonly share: Share;

  constructor(run: RunState, call: ToolCall, agent: string, sessionId: string, share: Share) {
    this.run = run;
    this.call = call;
    this.agent = agent;
    this.sessionId = sessionId;
    this.share = share;
  }

  /** The part of each payload about it. */
  get told(): CallOrigin & { readonly origin: RunState['origin']; readonly agent: string } {
    return { origin: this.run.origin, ...this.call.origin, agent: this.agent };
  }

  begin(config: Config, prompt: string, { signal }: ToolContext): Promise<ToolAnswer> {
    const { job } = this.run;
    return this.#follow(config, (session) => session.stream(prompt, { signal, ...(job && { job }) }));
  }

  /** An answer to one of its requests goes there; any other has been taken before. */
  goOn(config: Config, open: OpenRun, { signal, answer }: ToolContext): Promise<ToolAnswer> {
    const isIts = answer !== undefined && open.requests().some(({ id }) => id === answer.id);
    return this.#follow(config, (session) => session.resumeStream(isIts ? answer : undefined, { signal }));
  }

  /** It had ended before the process did that was to say so. */
  wasOver(ended: EndedRun): Promise<ToolAnswer> {
    const { status } = ended.settled;
    return this.#end(status, endedText(this.agent, status, { ...ended.settled, text: ended.text }));
  }

  async #follow(
    config: Config,
    start: (session: ReturnType<typeof createSession>) => AgentStream,
  ): Promise<ToolAnswer> {
    const session = createSession(config, this.sessionId, undefined, () => {});
    try {
      const { callId } = this.call.origin;
      const stream = start(session);
      let step = await stream.next();
      while (step.done !== true) {
        this.run.emit({ type: 'subagent', turn: this.run.turn, callId, agentPath: config.path, event: step.value });
        step = await stream.next();
      }
      return await this.#settle(step.value);
    } finally {
      await session.close();
    }
  }

  async #settle(result: RunResult): Promise<ToolAnswer> {
    if (result.status !== 'pending') return this.#end(result.status, endedText(this.agent, result.status, result));
    const [first] = result.pending ?? [];
    if (first === undefined) this.call.isLeft = true;
    else this.call.surfaced = first;
    return '';
  }

  async #end(status: RunStatus, text: { readonly output: string; readonly isError: boolean }): Promise<ToolAnswer> {
    const { agent, sessionId } = this;
    this.call.spent = this.share.spent;
    const result: ToolResult = adopt({ ...text, metadata: adopt({ agent, sessionId, status }) });
    await this.run.closing.fireVoid('subagentEnded', { ...this.told, childSessionId: sessionId, status, result });
    return result;
  }
}
closeClass(Child);

async function logOf(config: Config, sessionId: string): Promise<Replay> {
  const replay = new Replay(sessionId);
  await new SessionLog(config, sessionId).readAll((records) => replay.take(records));
  return replay;
}

function taskTool(agents: ReadonlyMap<string, string>, execute: Tool<TaskArgs>['execute']): Tool<TaskArgs> {
  const lines = [...agents].map(([name, what]) => `- ${name}${what === '' ? '' : `: ${what}`}`);
  const names = [...agents.keys()];
  const refuse = (message: string, key: string) => ({ issues: [{ message, path: [key] }] });
  return {
    name: 'task',
    description: `Gives a task to another agent, which works on its own and answers. It knows nothing but the prompt. Agents:\n${lines.join('\n')}`,
    inputSchema: {
      type: 'object',
      properties: { agent: { type: 'string', enum: names }, prompt: { type: 'string', minLength: 1 } },
      required: ['agent', 'prompt'],
      additionalProperties: false,
    },
    input: {
      '~standard': {
        version: 1,
        vendor: 'treblehook',
        validate(value) {
          if (typeof value !== 'object' || value === null) return refuse('must be an object', '');
          const { agent, prompt, ...more } = ownFields(value as Partial<TaskArgs>);
          const [odd] = Object.keys(more);
          if (odd !== undefined) return refuse('is no argument: there is agent, prompt', odd);
          if (typeof agent !== 'string' || !agents.has(agent))
            return refuse(`must be one of ${names.join(', ')}`, 'agent');
          if (typeof prompt !== 'string' || prompt === '') return refuse('must be a text that is not empty', 'prompt');
          return { value: { agent, prompt } };
        },
      },
    },
    concurrency: 'safe', // neighbours work side by side
    execute,
  };
}
