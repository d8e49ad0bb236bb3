// Owns the table of the loop's benches: what is asked, against what, and what is to be reached.
import { more, ratio, roomy, value, type Comparison, type Question, type Room } from '../measuring/questions.js';

/** The packages that the contenders of peers come from, by the name that stands in the table. */
export const peers: Readonly<Record<string, string>> = {
  pi: '@mariozechner/pi-agent-core',
  'AI SDK': 'ai',
  'openai-agents': '@openai/agents',
  langchain: 'langchain',
};
/** Contenders are named by their peer, and what they do otherwise stands behind it. */
export const peerOf = (contender: string): string | undefined =>
  Object.keys(peers).find((peer) => contender === peer || contender.startsWith(`${peer}, `));

const questions: readonly Question[] = [
  {
    name: 'bare',
    asks: 'nothing registered: a session is opened, has one run, is closed',
    file: 'run',
    unit: 'ns',
    compares: [
      value(20_000),
      ratio('floor'),
      ratio('pi', 1.3),
      ratio('AI SDK', 0.25),
      ratio('openai-agents'),
      ratio('langchain'),
    ],
  },
  {
    name: 'bare-bytes',
    asks: 'the bytes that it allocates',
    file: 'run',
    unit: 'B',
    flags: roomy,
    compares: [value(64 * 1024), ratio('floor'), ratio('pi')],
  },
  {
    name: 'streamed',
    asks: 'the same, each event read by a consumer',
    file: 'run',
    unit: 'ns',
    compares: [ratio('pi'), ratio('AI SDK, streamText')],
  },
  {
    name: 'readable',
    asks: 'the same, the model gives two `ReadableStream`s',
    file: 'run',
    unit: 'ns',
    compares: [more('reading them', 10_000)],
  },
  {
    name: 'furnished',
    asks: 'three house tenants, 20 plugin handlers over five points, records on',
    file: 'furnished',
    unit: 'ns',
    compares: [value(40_000), ratio('bare', 2), ratio('langchain, 20 middlewares')],
  },
  {
    name: 'idle-100',
    asks: '100 more async handlers that do nothing, asked before each of two model calls',
    file: 'furnished',
    unit: 'ns',
    compares: [more('none of them', 20_000)],
  },
  ...history('ns', 'time'),
  ...history('B', 'bytes', roomy),
  {
    name: 'steps-200',
    asks: 'a run of 200 tool calls, one after another',
    file: 'run',
    unit: 'ns',
    compares: [ratio('50 of them', 4.4)],
  },
  {
    name: 'await',
    asks: 'an `await` in this process after 1,000 runs',
    file: 'await',
    unit: 'ns',
    compares: [
      ratio('a fresh process', 1.1),
      ...['pi', 'AI SDK', 'openai-agents', 'langchain'].map((peer): Comparison => ratio(`${peer}, after its runs`)),
    ],
  },
  {
    name: 'import',
    asks: 'importing the package in a fresh process, without providers',
    file: 'weight',
    unit: 'ms',
    compares: [value(30), ratio('pi'), ratio('AI SDK'), ratio('openai-agents'), ratio('langchain')],
  },
];

export const loop: Room = { name: 'loop', questions };

function history(unit: 'ns' | 'B', what: string, flags: readonly string[] = []): readonly Question[] {
  return [
    {
      name: `history-10k-${what}`,
      asks: `${what} of a run in a session of 10,000 messages`,
      file: 'history',
      unit,
      flags,
      compares: [ratio('10 messages', 2)],
    },
  ];
}
