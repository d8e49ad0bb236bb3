/** The child of a task: from its beginning, or from where its log ends, to what the call gives. */
import { adopt, closeClass } from '@treblehook/core';
import {
  ownFields,
  isHookError,
  type Answer,
  type CallOrigin,
  type Request,
  type RunStatus,
  type ToolAnswer,
  type ToolContext,
  type ToolResult,
} from '@treblehook/types';
import type { ToolCall } from '../calls/tool-call.js';
import type { Config } from '../config.js';
import type { Session } from '../contract.js';
import { Current } from '../current.js';
import { errorResult } from '../door/tool-result.js';
import type { Share } from '../run/budget.js';
import { tellOf } from '../run/grace.js';
import type { RunState } from '../run/run-state.js';
import type { AgentStream, RunResult } from '../run/run-told.js';
import { childIdOf, type TaskCall } from '../session/child-log.js';
import type { OpenRun } from '../session/open-run.js';
import type { EndedRun } from '../session/replay.js';
import { leaseMs } from '../session/session-lease.js';
import { createSession } from '../session/session.js';
import { endedText } from './task-result.js';

export class Child {
  readonly run: RunState;
  readonly call: ToolCall;
  readonly agent: string;
  readonly sessionId: string;
  readonly share: Share;
  /** It was not refused: it has its place among those of its parent. */
  hasBegun = false;

  constructor(run: RunState, call: ToolCall, agent: string, task: TaskCall) {
    this.run = run;
    this.call = call;
    this.agent = agent;
    this.sessionId = childIdOf(task);
    this.share = run.budget.shareOf(this.sessionId);
    run.openChildren.set(this.sessionId, task);
  }

  /** The part of each payload about it. */
  get told(): CallOrigin & { readonly origin: RunState['origin']; readonly agent: string } {
    return { origin: this.run.origin, ...this.call.origin, agent: this.agent };
  }

  begin(config: Config, prompt: string, { signal }: ToolContext): Promise<ToolAnswer> {
    const { job } = this.run;
    this.hasBegun = true;
    return this.#conduct(config, (session) => session.stream(prompt, { signal, ...(job && { job }) }), signal);
  }

  /** What cannot go on any more ends here, by its session; what somebody else holds does not, and the result says so. */
  async goOn(config: Config, open: OpenRun, ctx: ToolContext): Promise<ToolAnswer> {
    try {
      return await this.#takeUp(config, open, ctx);
    } catch (error) {
      if (!isHookError(error) || error.code !== 'TH_SESSION_BUSY') throw error;
      this.call.reason = `the session '${this.sessionId}' is held`;
      this.call.spent = this.share.counted;
      const mend = `give the task anew; with a lockWaitMs over ${leaseMs} the lease of a process that has died is waited for`;
      return errorResult(`the task was not gone on with: ${error.message}. The session stays open there: ${mend}`);
    }
  }

  /** An answer to one of its requests goes there; any other has been taken before. */
  async #takeUp(config: Config, open: OpenRun, { signal, answer }: ToolContext): Promise<ToolAnswer> {
    const isIts = answer !== undefined && open.requests().some(({ id }) => id === answer.id);
    const resume = (given: Answer | undefined): Promise<ToolAnswer> =>
      this.#conduct(config, (session) => session.resumeStream(given, { signal }), signal);
    if (!isIts) return resume(undefined);
    try {
      return await resume(answer);
    } catch (error) {
      // it has expired there, or was answered before: the child knows, and goes on
      if (isHookError(error) && error.code === 'TH_ANSWER_REFUSED') return resume(undefined);
      throw error;
    }
  }

  /** It had ended before the process did that was to say so. */
  wasOver({ settled, run }: EndedRun, { prices }: Config): Promise<ToolAnswer> {
    this.share.reach(run.used(prices));
    const { status } = settled;
    return this.#end(status, endedText(this.agent, status, { ...settled, text: run.text }));
  }

  /** From a run to what the call gives. What a call of a body cannot wait for is refused there, so that its child ends. */
  async #conduct(config: Config, start: Start, signal: AbortSignal): Promise<ToolAnswer> {
    let result = await this.#follow(config, start);
    for (let first = cannotWait(this.call, result); first !== undefined; first = cannotWait(this.call, result)) {
      const no: Answer = {
        id: first.id,
        ok: false,
        reason: 'nobody has answered, and a call that a tool makes cannot wait',
      };
      result = await this.#follow(config, (session) => session.resumeStream(no, { signal }));
    }
    return this.#settle(result);
  }

  async #follow(config: Config, start: Start): Promise<RunResult> {
    const session = createSession(new Current(config), this.sessionId, undefined, () => {}, {
      above: this.run.childGrants,
    });
    try {
      const { callId } = this.call.origin;
      const stream = start(session);
      let step = await stream.next();
      while (step.done !== true) {
        this.run.emit({ type: 'subagent', turn: this.run.turn, callId, agentPath: config.path, event: step.value });
        step = await stream.next();
      }
      return step.value;
    } finally {
      await closed(session);
    }
  }

  async #settle(result: RunResult): Promise<ToolAnswer> {
    const { status } = result;
    const { isSuspended } = this.run.abort;
    // one that had not begun when the run was suspended is given anew with it
    if (status === 'aborted' && isSuspended && this.call.leave()) return '';
    if (status !== 'pending') return this.#end(status, endedText(this.agent, status, result));
    const [first] = result.pending ?? [];
    if (first !== undefined) this.call.surfaced = first;
    else if (!this.call.leave()) return errorResult(`the agent '${this.agent}' was suspended with its run`);
    return '';
  }

  async #end(status: RunStatus, text: { readonly output: string; readonly isError: boolean }): Promise<ToolAnswer> {
    const { agent, sessionId } = this;
    this.call.spent = this.share.counted;
    this.run.openChildren.delete(sessionId);
    this.run.childGrants.drop(sessionId);
    const result: ToolResult = adopt(ownFields({ ...text, metadata: adopt({ agent, sessionId, status }) }));
    await tellOf(this.run, 'subagentEnded', { ...this.told, childSessionId: sessionId, status, result });
    return result;
  }
}
closeClass(Child);

/** What it has come to stands, though an observer of its end takes longer than anybody waits: it closes behind that one. */
async function closed(session: Session): Promise<void> {
  try {
    await session.close();
  } catch (error) {
    if (!isHookError(error) || error.code !== 'TH_SESSION_BUSY') throw error;
  }
}

type Start = (session: Session) => AgentStream;

const cannotWait = ({ parent }: ToolCall, { pending }: RunResult): Request | undefined =>
  parent === undefined ? undefined : pending?.[0];
