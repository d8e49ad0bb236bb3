/** A loopback server that speaks Anthropic's messages: https://docs.claude.com/en/api/messages-streaming */
import { pieces, words, type Answer, type Script, type WireDialect } from './script.js';
import { serve, type Wire, type WireOptions } from './server.js';

export const anthropicWire = (script: Script, options?: WireOptions): Promise<Wire> => serve(dialect, script, options);

const event = (data: { type: string; [key: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const dialect: WireDialect = {
  path: '/v1/messages',
  keyOf: ({ 'x-api-key': key }) => (typeof key === 'string' ? key : undefined),
  events: (answer, { body }) => {
    const { input, output } = usageOf(answer.usage);
    const [first, ...later] = (answer.earlier ?? []).map(usageOf);
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...(first?.input ?? input), output_tokens: 1 },
    };
    const stop_reason = answer.finish ?? (answer.calls === undefined ? 'end_turn' : 'tool_use');
    return [
      event({ type: 'message_start', message }),
      event({ type: 'ping' }),
      ...blocksOf(answer).flatMap(({ content_block, deltas }, index) => [
        event({ type: 'content_block_start', index, content_block }),
        ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
        event({ type: 'content_block_stop', index }),
      ]),
      ...later.map((report) =>
        event({
          type: 'message_delta',
          delta: { stop_reason: null, stop_sequence: null },
          usage: { ...report.input, ...report.output },
        }),
      ),
      event({
        type: 'message_delta',
        delta: { stop_reason, stop_sequence: null },
        usage: first === undefined ? output : { ...input, ...output },
      }),
      event({ type: 'message_stop' }),
    ];
  },
  errorEvent: (type, message) => event({ type: 'error', error: { type, message } }),
  errorBody: (status, message) =>
    JSON.stringify({ type: 'error', error: { type: errorTypes[status] ?? 'api_error', message }, request_id: 'req_1' }),
  fault,
};

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

interface Block {
  readonly content_block: unknown;
  readonly deltas: readonly unknown[];
}

function blocksOf({ text, reasoning, calls = [] }: Answer): Block[] {
  const blocks: Block[] = [];
  if (reasoning !== undefined && 'redacted' in reasoning) {
    blocks.push({ content_block: { type: 'redacted_thinking', data: reasoning.redacted }, deltas: [] });
  } else if (reasoning !== undefined) {
    const { text: thinking, signature = 'signed' } = reasoning;
    blocks.push({
      content_block: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        { type: 'thinking_delta', thinking },
        { type: 'signature_delta', signature },
      ],
    });
  }
  if (text !== undefined) {
    blocks.push({
      content_block: { type: 'text', text: '' },
      deltas: words(text).map((piece) => ({ type: 'text_delta', text: piece })),
    });
  }
  for (const call of calls) {
    const json = ['', ...pieces(call)];
    blocks.push({
      content_block: { type: 'tool_use', id: call.id, name: call.name, input: {} },
      deltas: json.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    });
  }
  return blocks;
}

function usageOf(usage: Answer['usage']): { input: Record<string, number>; output: Record<string, unknown> } {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage ?? { input: 20, output: 5 };
  return {
    input: {
      input_tokens: input - (cacheRead ?? 0) - (cacheWrite ?? 0),
      ...(cacheRead === undefined ? {} : { cache_read_input_tokens: cacheRead }),
      ...(cacheWrite === undefined ? {} : { cache_creation_input_tokens: cacheWrite }),
    },
    output: {
      output_tokens: output,
      ...(reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
    },
  };
}

function fault(body: any): string | undefined {
  if (body?.stream !== true) return "'stream' must be true here";
  if (!Number.isInteger(body.max_tokens)) return 'max_tokens: field required';
  if (!Array.isArray(body.messages) || body.messages.length === 0) return 'messages: at least one message is required';
  const ids = new Set<string>();
  let open = new Set<string>();
  for (const [at, message] of body.messages.entries()) {
    if (message.role !== 'user' && message.role !== 'assistant')
      return `messages.${at}.role: '${message.role}' is no role`;
    if (at === 0 && message.role !== 'user') return 'messages.0: the first message must be of the user';
    if (message.content.length === 0) return `messages.${at}: content must not be empty`;
    const parts = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
    const answered = parts.filter((part: any) => part.type === 'tool_result').map((part: any) => part.tool_use_id);
    for (const id of answered) if (!open.delete(id)) return `messages.${at}: the result ${id} follows no tool_use`;
    if (open.size > 0) return `messages.${at}: tool_use ids without tool_result: ${[...open].join(', ')}`;
    open = new Set();
    for (const part of parts) {
      const wrong = partFault(part, ids);
      if (wrong !== undefined) return `messages.${at}.content: ${wrong}`;
      if (part.type === 'tool_use') open.add(part.id);
    }
  }
  return open.size > 0 ? `tool_use ids without tool_result: ${[...open].join(', ')}` : undefined;
}

function partFault(part: any, ids: Set<string>): string | undefined {
  if (part.type === 'text' && part.text.trim() === '') return 'text blocks must contain non-whitespace text';
  if (part.type === 'thinking' && typeof part.signature !== 'string') return 'signature: field required';
  if (part.type !== 'tool_use') return undefined;
  if (!/^[a-zA-Z0-9_-]+$/.test(part.id)) return `the id '${part.id}' has characters that are not allowed`;
  if (ids.has(part.id)) return 'tool_use ids must be unique';
  ids.add(part.id);
  if (typeof part.input !== 'object' || part.input === null || Array.isArray(part.input))
    return 'input is no dictionary';
  return undefined;
}
