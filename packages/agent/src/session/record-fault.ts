/** What a record of a log is made of: what a store gives may be anything. */
import { textOf, type SessionRecord, type StoredRecord } from '@treblehook/types';

/** What a field has to be; `name` ends the sentence "its 'calls' is no …". */
interface Kind {
  readonly name: string;
  readonly is: (value: unknown) => boolean;
}
type Fields = { readonly [key: string]: Kind };
interface Shape {
  readonly required: Fields;
  /** `null` counts as absent: JSON has no other word for a number that is none. */
  readonly optional: Fields;
}

const text: Kind = { name: 'text', is: (value) => typeof value === 'string' };
const number: Kind = { name: 'number', is: (value) => typeof value === 'number' };
const json: Kind = { name: 'JSON', is: (value) => value !== undefined };
const flag: Kind = { name: 'true or false', is: (value) => typeof value === 'boolean' };
const listOf = (of: Kind): Kind => ({
  name: `list in which each is a ${of.name}`,
  is: (value) => Array.isArray(value) && value.every(of.is),
});
const either = (one: Kind, other: Kind): Kind => ({
  name: `${one.name} or ${other.name}`,
  is: (value) => one.is(value) || other.is(value),
});
const record = (name: string, required: Fields, optional: Fields = {}): Kind => ({
  name,
  is: (value) => isObject(value) && fieldAtFault(value, { required, optional }) === undefined,
});
const shape = (required: Fields, optional: Fields = {}): Shape => ({ required, optional });

/** What a part of a message may hold beside JSON. */
export function isOpaque(value: unknown): boolean {
  return ArrayBuffer.isView(value) || value instanceof URL;
}
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Its own alone: what somebody has put on `Object.prototype` is no field of it. */
const fieldOf = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? (Reflect.get(value, key) as unknown) : undefined;

function fieldAtFault(value: object, { required, optional }: Shape): readonly [string, Kind] | undefined {
  const own = Object.entries(required).find(([key, kind]) => !kind.is(fieldOf(value, key)));
  if (own !== undefined) return own;
  return Object.entries(optional).find(([key, kind]) => {
    const field = fieldOf(value, key);
    return field !== undefined && field !== null && !kind.is(field);
  });
}

const object = record('object', {});
const tool = record('tool', { source: text, name: text, digest: text });
const seal = record('sealed call', { tool, args: json, digest: text });
const calling: Fields = { callId: text, name: text, args: json };
const call = record('call', calling, { fault: text });
const result = record('result of a tool', { output: text, isError: flag });
const spent = record('count of what was used', { calls: number, tokens: number, cost: number });
const counts = (...names: readonly string[]): Kind =>
  record('count of tokens', {}, Object.fromEntries(names.map((name) => [name, number])));
const usage = record('usage', {
  inputTokens: counts('total', 'noCache', 'cacheRead', 'cacheWrite'),
  outputTokens: counts('total', 'text', 'reasoning'),
});

const fileData = either(text, { name: 'bytes or a URL', is: isOpaque });
/** By type; of another type it is no part that the loop knows. */
const parts: Fields = {
  text: record('text part', { text }),
  reasoning: record('reasoning part', { text }, { provider: object }),
  file: record('file part', { mediaType: text, data: fileData }, { filename: text }),
  'tool-call': record('tool call', calling, { wireId: text, provider: object }),
  'tool-result': record('tool result', { callId: text, name: text, output: text, isError: flag }),
};
const part: Kind = {
  name: 'part of a message',
  is(value) {
    if (!isObject(value)) return false;
    const type = fieldOf(value, 'type');
    return typeof type === 'string' && (fieldOf(parts, type) as Kind | undefined)?.is(value) === true;
  },
};
const role: Kind = {
  name: 'role',
  is: (value) => value === 'system' || value === 'user' || value === 'assistant' || value === 'tool',
};
const message = record('message', { role, content: listOf(part) }, { id: text, pinned: flag });

const terms = record('terms of a task', { budget: object, model: text });
const parent = record('call of a task', { sessionId: text, callId: text, digest: text, terms });
const request = record(
  'request',
  { id: text, kind: text, prompt: text },
  { expiresAt: number, url: text, path: listOf(text) },
);
const ofCall: Fields = { runId: text, callId: text };
const asMade: Fields = { parent: text, changed: flag };
const verdict = record('verdict of a guard', { by: record('handler', { id: text }), verdict: text, kind: text });
const ask = record('question of a guard', { guard: text, question: text }, { rule: text, granted: object });
const evidence = record(
  'record of a call',
  { verdicts: listOf(verdict), asks: listOf(ask), outcome: text },
  { tool, digest: text, decision: text, guardMs: number, reason: text, by: text, rule: text, rawDigest: text },
);
const cleared = record('clearance', { verdicts: listOf(verdict), asks: listOf(ask), ms: number });
const ended: Fields = { ...ofCall, outcome: text, result, ms: number, record: evidence };
const finishReason = record('finish reason', { unified: text }, { raw: text });
const said: Fields = { runId: text, turn: number, model: text, message, finishReason, usage };
const grant = record(
  'grant',
  { id: text, request: text, tool, guard: text },
  { rule: text, question: text, digest: text, until: number },
);

const shapes: { readonly [T in SessionRecord['type']]: Shape } = {
  opened: shape({}, { agent: text, parent }),
  personality: shape({ id: text }, { plugins: listOf(text), tools: listOf(text) }),
  run: shape(
    { runId: text, input: text, personality: text },
    {
      job: record('job', { class: text }, { justification: text }),
      context: listOf(text),
      note: object,
      chat: record('chat', { platform: text, chatId: text }),
    },
  ),
  resumed: shape({ runId: text }),
  message: shape({ message }, { runId: text }),
  answer: shape({ ...said, calls: listOf(call) }, { offered: listOf(text), tokens: number, by: text }),
  unused: shape(said, { tokens: number }),
  spent: shape({ runId: text, model: text, usage }, { purpose: text, tokens: number }),
  started: shape({ ...ofCall, sealed: seal }, { ...asMade, cleared, anew: flag }),
  outcome: shape({ ...ended, name: text, args: json }, { ...asMade, spent, halt: flag, ofAttempt: flag }),
  attempt: shape({ ...ended, attempt: number }, { ...asMade, name: text, spent }),
  late: shape({ runId: text, callId: text, text }),
  request: shape(
    { ...ofCall, by: text, request, sealed: seal },
    { ...asMade, supplied: record('result of a stage', { result }, { by: text }) },
  ),
  answered: shape({ answer: record('answer', { id: text, ok: flag }, { reason: text }) }),
  edited: shape({ ...ofCall, request: text, given: text, sealed: seal }, asMade),
  grant: shape({ grant }),
  revoked: shape({ grantId: text }),
  // its counts of tokens are those of somebody's estimator: they may be no numbers
  compaction: shape({ runId: text, outcome: text, dropping: listOf(text) }, { reason: text, ms: number }),
  settled: shape(
    { runId: text, status: text },
    {
      limit: text,
      reason: record('reason', { text }, { by: text }),
      error: record('error', { name: text, message: text }, { code: text }),
      working: listOf(either(text, message)),
      usedMs: number,
      unbegun: listOf(text),
    },
  ),
};

/** What is wrong with it, or `undefined`; with a type that is not known nothing is. A getter may throw anything. */
export function recordFault(stored: StoredRecord): string | undefined {
  try {
    if (!isObject(stored) || !number.is(fieldOf(stored, 'seq')) || !number.is(fieldOf(stored, 'at')))
      return 'it is none: { seq, at, record }';
    const given = fieldOf(stored, 'record');
    const type = isObject(given) ? fieldOf(given, 'type') : undefined;
    if (typeof type !== 'string') return "it has no 'record' with a 'type'";
    if (!Object.hasOwn(shapes, type)) return undefined;
    const at = fieldAtFault(given as object, shapes[type as SessionRecord['type']]);
    return at && `it is '${type}', and its '${at[0]}' is no ${at[1].name}`;
  } catch (error) {
    return `it cannot be read: ${textOf(error)}`;
  }
}
