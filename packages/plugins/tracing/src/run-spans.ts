/** The spans of runs: which are open, whose child each is, how each ends. Contexts are passed by hand; nothing is global. */
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import type {
  AgentDone,
  Frozen,
  LLMAttempt,
  LLMOutcome,
  MessageReceived,
  Origin,
  SubagentSpawned,
  ToolEnd,
} from '@treblehook/types';
import { agentOf, answerOf, chatOf, doneOf, faultOf, toolOf, type Attributes } from './attributes.js';
import { inputContent, messageContent, outputContent, requestContent, resultContent } from './content.js';

interface Run {
  readonly span: Span;
  readonly context: Context;
  /** Model calls in hand: of the turn, and by what for those of handlers. */
  readonly chats: Map<string | undefined, Span[]>;
  /** Tasks in hand, by their call. */
  readonly tasks: Map<string, Span>;
  readonly isOver: boolean;
}

/** Runs that are over and children that were spawned, remembered for what comes late; of more, the oldest is forgotten. */
const most = 10_000;

export class RunSpans {
  readonly #tracer: Tracer;
  readonly #content: boolean;
  readonly #open = new Map<string, Run>();
  readonly #over = new Map<string, Run>();
  /** Of runs that were left waiting for an answer. */
  readonly #waiting = new Map<string, SpanContext>();
  /** By the session of a child: where the run stood that gave it its task, the call, and its span. */
  readonly #children = new Map<
    string,
    { readonly from: Frozen<Origin>; readonly callId: string; readonly task: SpanContext }
  >();

  constructor(tracer: Tracer, content: boolean) {
    this.#tracer = tracer;
    this.#content = content;
  }

  input({ origin, message }: Frozen<MessageReceived>): void {
    const { span } = this.#runOf(origin);
    if (this.#content) span.setAttributes(inputContent(message));
  }

  request(attempt: Frozen<LLMAttempt>): void {
    const run = this.#runOf(attempt.origin);
    const inHand = run.chats.get(attempt.purpose) ?? [];
    const known = inHand[0];
    if (attempt.attempt > 1 && known !== undefined) {
      known.addEvent('retry', { 'treblehook.attempt': attempt.attempt });
      return;
    }
    const content = this.#content ? requestContent(attempt) : {};
    run.chats.set(attempt.purpose, [...inHand, this.#chat(run, attempt, content)]);
  }

  answer(outcome: Frozen<LLMOutcome>): void {
    const run = this.#runOf(outcome.origin);
    const { error, response } = outcome;
    const inHand = run.chats.get(outcome.purpose) ?? [];
    const span = inHand.shift() ?? this.#chat(run, outcome, {}, Date.now() - outcome.ms);
    span.setAttributes(answerOf(outcome));
    if (this.#content && response !== undefined)
      span.setAttributes(outputContent(response.message, outcome.finishReason));
    if (error !== undefined) fail(span, faultOf(error));
    span.end();
  }

  /** A task has a span from here on: what its child does stands below it. */
  spawned({ origin, callId, childSessionId }: Frozen<SubagentSpawned>): void {
    const run = this.#runOf(origin);
    const span = run.tasks.get(callId) ?? this.#tool(run, origin, { name: 'task', callId });
    run.tasks.set(callId, span);
    keep(this.#children, childSessionId, { from: origin, callId, task: span.spanContext() });
  }

  toolEnd({ origin, name, callId, outcome, result, ms }: Frozen<ToolEnd>): void {
    const run = this.#runOf(origin);
    const span = run.tasks.get(callId) ?? this.#tool(run, origin, { name, callId }, Date.now() - ms);
    run.tasks.delete(callId);
    span.setAttribute('treblehook.tool.outcome', outcome);
    if (this.#content) span.setAttributes(resultContent(result));
    if (outcome !== 'ok' && outcome !== 'suspended') fail(span, outcome);
    span.end();
  }

  done(told: Frozen<AgentDone>): void {
    const { origin, status, error } = told;
    const run = this.#runOf(origin);
    if (run.isOver) return;
    run.span.setAttributes(doneOf(told));
    if (this.#content) run.span.setAttributes(messageContent(told.text));
    if (status === 'failed') fail(run.span, faultOf(error));
    if (status === 'aborted') fail(run.span, 'aborted');
    if (status === 'pending') keep(this.#waiting, origin.runId, run.span.spanContext());
    this.#end(origin.runId, run);
  }

  /** The plugin goes: what is open ends as it is. */
  endAll(): void {
    for (const [runId, run] of this.#open) this.#end(runId, run);
  }

  #end(runId: string, run: Run): void {
    for (const span of [...[...run.chats.values()].flat(), ...run.tasks.values()]) {
      fail(span, 'unfinished');
      span.end();
    }
    run.span.end();
    this.#open.delete(runId);
    const context = contextOf(run.span.spanContext()); // its span is let go, and its content with it
    keep(this.#over, runId, {
      span: trace.getSpan(context)!,
      context,
      chats: new Map(),
      tasks: new Map(),
      isOver: true,
    });
  }

  /** The run of an event; one that is not known begins, and what comes behind the end of one stands below it. */
  #runOf(origin: Frozen<Origin>): Run {
    const open = this.#open.get(origin.runId);
    if (open !== undefined) return open;
    const left = this.#waiting.get(origin.runId);
    const over = this.#over.get(origin.runId);
    if (over !== undefined && left === undefined) return over;
    this.#waiting.delete(origin.runId);
    const span = this.#tracer.startSpan(
      `invoke_agent ${origin.agentPath.at(-1) ?? origin.personality}`,
      {
        kind: SpanKind.INTERNAL,
        attributes: agentOf(origin),
        ...(left && { links: [{ context: left, attributes: { 'treblehook.link': 'resumes' } }] }),
      },
      this.#parentOf(origin),
    );
    const run: Run = {
      span,
      context: trace.setSpan(ROOT_CONTEXT, span),
      chats: new Map(),
      tasks: new Map(),
      isOver: false,
    };
    this.#open.set(origin.runId, run);
    return run;
  }

  /** Of a child its task; of one that goes on, whose task's span is over, the run that goes on with it. */
  #parentOf({ sessionId }: Frozen<Origin>): Context {
    const child = this.#children.get(sessionId);
    if (child === undefined) return ROOT_CONTEXT;
    const { from, callId, task } = child;
    const span = this.#open.get(from.runId)?.tasks.get(callId);
    if (span !== undefined) return trace.setSpan(ROOT_CONTEXT, span);
    // a child is told to go on before the run that waits for it has told anything
    const isThere = this.#open.has(from.runId) || this.#waiting.has(from.runId);
    return isThere ? this.#runOf(from).context : contextOf(task);
  }

  #chat(
    run: Run,
    told: { readonly origin: Frozen<Origin>; readonly model: string; readonly purpose?: string | undefined },
    content: Attributes,
    startTime = Date.now(),
  ): Span {
    const attributes = { ...chatOf(told), ...content };
    return this.#tracer.startSpan(`chat ${told.model}`, { kind: SpanKind.CLIENT, attributes, startTime }, run.context);
  }

  #tool(
    run: Run,
    origin: Frozen<Origin>,
    call: { readonly name: string; readonly callId: string },
    startTime = Date.now(),
  ): Span {
    const attributes = toolOf(origin, call);
    return this.#tracer.startSpan(
      `execute_tool ${call.name}`,
      { kind: SpanKind.INTERNAL, attributes, startTime },
      run.context,
    );
  }
}

const contextOf = (span: SpanContext): Context => trace.setSpan(ROOT_CONTEXT, trace.wrapSpanContext(span));

/** A status without a message: that of an error could be anything. */
function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as string);
}
