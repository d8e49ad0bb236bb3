// Owns the law of the notes: whoever follows a run is told of each thing that happens beside the answer, a child's too.
import { Writable } from 'node:stream';
import type { AgentEvent } from '@treblehook/agent';
import { expect, it } from 'vitest';
import { redactor } from '../src/redact.js';
import { eventWriter } from '../src/show.js';

function notesOf(...events: readonly AgentEvent[]): string {
  let said = '';
  const stream = new Writable({ write: (chunk, _encoding, done) => ((said += String(chunk)), done()) });
  const io = { stdout: stream, stderr: stream, env: {}, cwd: '/', signal: new AbortController().signal };
  const show = eventWriter(io, redactor({ OPENAI_API_KEY: 'sk-hush-hush' }));
  for (const event of events) show(event);
  return said;
}
const call = { turn: 0, callId: 'call_1' };
const answered: AgentEvent = { type: 'answered', ...call, requestId: 'request_1', ok: false };
const below = (agentPath: readonly string[], event: AgentEvent): AgentEvent => ({
  type: 'subagent',
  ...call,
  agentPath,
  event,
});

it.each<[string, AgentEvent, string]>([
  ['an answer', answered, '· request_1 is answered: no\n'],
  [
    'what is kept back',
    { type: 'output-withheld', turn: 0, kind: 'text', reason: 'has sk-hush-hush in it', by: 'acme#x' },
    '· a block of the answer is kept back by acme#x: has [redacted] in it\n',
  ],
  [
    'a call of a child',
    below(['lead', 'clerk'], { type: 'tool-call', ...call, name: 'pay', args: { to: 'sk-hush-hush' } }),
    '· lead > clerk: pay {"to":"[redacted]"}\n',
  ],
  [
    'what its own child tells',
    below(['lead', 'clerk'], below(['lead', 'clerk', 'boy'], answered)),
    '· lead > clerk > boy: request_1 is answered: no\n',
  ],
  ['no word of the answer of a child', below(['lead', 'clerk'], { type: 'text-delta', turn: 0, text: 'hi' }), ''],
])('of %s', (_, event, note) => {
  expect(notesOf(event)).toBe(note);
});

it('a note stands on a line of its own', () => {
  expect(notesOf({ type: 'text-delta', turn: 0, text: 'half' }, answered)).toBe('half\n· request_1 is answered: no\n');
});
