/** The tool `task`: a call of it is the run of another agent of the runtime, under the rights of the run that made it. */
import { closeClass, frozen } from '@treblehook/core';
import { HookError, ownFields, type ToolAnswer, type ToolContext } from '@treblehook/types';
import { handlerFault } from '../calls/end-by-fault.js';
import type { ToolCall } from '../calls/tool-call.js';
import { childOf, limitsOf, withPersonality, type Config, type TaskPort } from '../config.js';
import type { Current } from '../current.js';
import { RegisteredTool } from '../door/registered-tool.js';
import { errorResult } from '../door/tool-result.js';
import { least } from '../run/budget.js';
import { fireStep, type Step } from '../run/fire-step.js';
import { Aborted } from '../run/run-abort.js';
import type { RunState } from '../run/run-state.js';
import { Child } from './child.js';
import { childIdOf, childLogOf, isOfCall, type TaskCall } from '../session/child-log.js';
import type { Replay } from '../session/replay.js';
import { taskTool, type TaskArgs } from './task-tool.js';

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

/** A task that is given, or given again: the call of it, and the log of its child. */
interface Given {
  readonly inHand: InHand;
  readonly task: TaskCall;
  readonly log: Replay;
}

/** The tasks that one agent of a runtime may give. */
export class Tasks implements TaskPort {
  readonly agents: readonly string[];
  readonly tool: RegisteredTool;
  readonly #of: (name: string) => Current | undefined;
  readonly #limits: TaskLimits;
  readonly #inHand = new WeakMap<ToolContext, InHand>();

  constructor(agents: ReadonlyMap<string, string>, of: (name: string) => Current | undefined, limits: TaskLimits) {
    this.agents = frozen([...agents.keys()]);
    this.#of = of;
    this.#limits = limits;
    this.tool = new RegisteredTool(
      taskTool(agents, (args, ctx) => this.#give(args, ctx)),
      true,
    );
  }

  attach(ctx: ToolContext, run: RunState, call: ToolCall): void {
    this.#inHand.set(ctx, { run, call });
  }

  /** Those of an agent that is gone are not known: what it has paid counts nothing. */
  pricesOf(agent: string): Config['prices'] {
    return this.#of(agent)?.now.prices ?? {};
  }

  async #give(args: TaskArgs, ctx: ToolContext): Promise<ToolAnswer> {
    const inHand = this.#inHand.get(ctx);
    if (inHand === undefined) throw new HookError('TH_NOT_CLEARED', { tool: 'task', what: 'no run has called it' });
    const { run, call } = inHand;
    const { callId, attempt } = call.origin;
    const task = { sessionId: run.sessionId, callId, attempt, digest: call.sealed!.digest };
    const sessionId = childIdOf(task);
    const log = await childLogOf(run.config, task);
    if (!log.isEmpty && !isOfCall(log, task)) {
      call.reason = `the session '${sessionId}' is somebody else's`;
      return errorResult(`the task was not given: ${call.reason}`);
    }
    const current = this.#of(args.agent)!; // the schema of the tool knows them
    const given = this.#giveTo(current.now, args, ctx, { inHand, task, log });
    const release = current.hold(given);
    return given.finally(release);
  }

  /** The task is one of the agent as it is now, whatever becomes of the agent meanwhile. */
  async #giveTo(base: Config, args: TaskArgs, ctx: ToolContext, { inHand, task, log }: Given): Promise<ToolAnswer> {
    const { run, call } = inHand;
    const sessionId = childIdOf(task);
    if (log.ended !== undefined) return new Child(run, call, args.agent, task).wasOver(log.ended, base);
    const mayTask = run.config.path.length < this.#limits.maxDepth;
    if (log.open !== undefined) {
      // it goes on as who it was; one that the agent has no more is ended by its session
      const who = base.personalities.get(log.open.personality);
      const as = who === undefined ? base : withPersonality(base, who);
      const logged = log.parent!.terms;
      // a model that the agent has no more is chosen anew
      const model = as.models.has(logged.model) ? logged.model : as.model;
      const terms = { budget: logged.budget, model };
      const child = new Child(run, call, args.agent, task);
      const config = childOf(as, run, { ...terms, share: child.share, call, mayTask });
      return child.goOn(config, log.open, ctx);
    }
    const why = this.#refusal(run);
    if (why !== undefined) {
      call.reason = why;
      return errorResult(`the task was not given: ${why}`);
    }
    const child = new Child(run, call, args.agent, task); // from here on it has its place among those of the run
    try {
      return await this.#spawn(child, base, args, mayTask, ctx);
    } catch (error) {
      // not begun when the run was suspended: it is given anew with it
      if (error instanceof Aborted && run.abort.isSuspended && call.leave()) return '';
      throw error;
    } finally {
      if (!child.hasBegun) run.budget.dropShareOf(sessionId);
    }
  }

  #refusal(run: RunState): string | undefined {
    const { maxDepth, maxChildren } = this.#limits;
    if (run.config.path.length > maxDepth) return `agents may task one another ${maxDepth} levels deep`;
    return run.budget.children < maxChildren ? undefined : `a run may give ${maxChildren} tasks`;
  }

  async #spawn(child: Child, base: Config, args: TaskArgs, mayTask: boolean, ctx: ToolContext): Promise<ToolAnswer> {
    const { run, call } = child;
    const left = run.budget.left();
    const termsOf = ({ limits, model }: Config) => ({ budget: least(limitsOf(limits), left), model });
    let step: Step<'subagentSpawning'>;
    try {
      step = await fireStep(run, 'subagentSpawning', {
        ...child.told,
        prompt: args.prompt,
        personality: base.personality.id,
        ...termsOf(base),
      });
    } catch (error) {
      const { by, text, reason } = handlerFault(error, 'subagentSpawning', 'the task was not given');
      call.by = by;
      call.reason = reason;
      return errorResult(text);
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
    const terms = termsOf(as);
    const config = childOf(as, run, {
      budget: budget === undefined ? terms.budget : least(terms.budget, ownFields(budget)),
      model,
      share: child.share,
      call,
      mayTask,
    });
    await run.caller.fireVoid('subagentSpawned', { ...child.told, childSessionId: child.sessionId });
    run.abort.throwIfAborted();
    return child.begin(config, prompt, ctx);
  }
}
closeClass(Tasks);
