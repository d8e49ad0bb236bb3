/** A loopback server that speaks OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat */
import { pieces, words, type Answer, type Script, type WireDialect } from './script.js';
import { serve, type Wire, type WireOptions } from './server.js';

export const openaiWire = (script: Script, options?: WireOptions): Promise<Wire> => serve(dialect, script, options);

const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

const dialect: WireDialect = {
  path: '/v1/chat/completions',
  keyOf: ({ authorization }) => (typeof authorization === 'string' ? authorization.replace(/^Bearer /, '') : undefined),
  events: (answer, { body }) => {
    const chunk = (choices: unknown[], more = {}): string =>
      event({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model: body.model,
        choices,
        ...more,
      });
    const delta = (delta: unknown, finish_reason: string | null = null): string =>
      chunk([{ index: 0, delta, finish_reason }]);
    const finish = answer.finish ?? (answer.calls === undefined ? 'stop' : 'tool_calls');
    const asksUsage = body.stream_options?.include_usage === true;
    const usage = usageOf(answer.usage);
    const earlier = (answer.earlier ?? []).map(usageOf);
    return [
      delta({ role: 'assistant', content: '' }),
      ...reasoningOf(answer).map((reasoning_content) => delta({ reasoning_content })),
      ...words(answer.text).map((content) => delta({ content })),
      ...callDeltas(answer).map((call) => delta({ tool_calls: [call] })),
      ...(asksUsage
        ? earlier.map((report) => chunk([{ index: 0, delta: {}, finish_reason: null }], { usage: report }))
        : []),
      delta({}, finish),
      ...(usage === undefined || !asksUsage ? [] : [chunk([], { usage })]),
      'data: [DONE]\n\n',
    ];
  },
  errorEvent: (type, message) => event({ error: { message, type, param: null, code: null } }),
  errorBody: (status, message) =>
    JSON.stringify({
      error: { message, type: status === 429 ? 'rate_limit_error' : 'error', param: null, code: status },
    }),
  fault,
};

const reasoningOf = ({ reasoning }: Answer): string[] =>
  reasoning !== undefined && 'text' in reasoning ? [reasoning.text] : [];

/** Parallel calls come interleaved, as their `index` allows. */
function callDeltas({ calls = [] }: Answer): unknown[] {
  const heads = calls.map(({ id, name }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: '' },
  }));
  const tails = calls.flatMap((call, index) =>
    pieces(call).map((piece, turn) => ({ turn, delta: { index, function: { arguments: piece } } })),
  );
  return [...heads, ...tails.sort((a, b) => a.turn - b.turn).map(({ delta }) => delta)];
}

function usageOf(usage: Answer['usage'] = { input: 20, output: 5 }): unknown {
  if (usage === null) return undefined;
  const { input, output, cacheRead, reasoning } = usage;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cacheRead === undefined ? {} : { prompt_tokens_details: { cached_tokens: cacheRead } }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

function fault(body: any): string | undefined {
  if (body?.stream !== true) return "'stream' must be true here";
  if (!Array.isArray(body.messages) || body.messages.length === 0) return "'messages' must not be empty";
  let open = new Set<string>();
  for (const [at, message] of body.messages.entries()) {
    if (!['system', 'developer', 'user', 'assistant', 'tool'].includes(message.role)) {
      return `messages.${at}: there is no role '${message.role}'`;
    }
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) return `messages.${at}: answers no call`;
      if (typeof message.content !== 'string') return `messages.${at}: a tool message needs content`;
      continue;
    }
    if (open.size > 0) return `messages.${at}: the calls ${[...open].join(', ')} have no tool message`;
    open = new Set();
    for (const call of message.tool_calls ?? []) {
      open.add(call.id);
      if (!isObjectText(call.function?.arguments)) return `messages.${at}: the arguments of ${call.id} are no object`;
    }
    if (message.content == null && open.size === 0) return `messages.${at}: needs content or tool_calls`;
  }
  return open.size > 0 ? `the calls ${[...open].join(', ')} have no tool message` : undefined;
}

function isObjectText(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false; // swallows that it is no JSON
  }
}
