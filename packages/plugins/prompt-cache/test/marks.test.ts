// Owns where marks stand, for any conversation: at most four, on what stays, and each call reads what the last one wrote.
import type { Message } from '@treblehook/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { marksOf } from '../src/marks.js';

const says = (role: Message['role'], text: string): Message => ({ role, content: [{ type: 'text', text }] });
const calls = (n: number): Message => ({
  role: 'assistant',
  content: Array.from({ length: n }, (_, at) => ({ type: 'tool-call', callId: `c${at}`, name: 't', args: {} })),
});
const result = (at: number): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', callId: `c${at}`, name: 't', output: '', isError: false }],
});
/** What a conversation grows by from one model call to the next. */
const step = fc.oneof(
  fc.string().map((text) => [says('assistant', 'answer'), says('user', text)]), // a blank input, too
  fc.integer({ min: 1, max: 30 }).map((n) => [calls(n), ...Array.from({ length: n }, (_, at) => result(at))]),
  fc.constant([{ role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }] } as Message, says('user', 'go on')]),
);

it('for any conversation: at most four marks, and the last one of each call is one of the next call', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(step, { minLength: 1, maxLength: 12 }), (hasSystem, steps) => {
      const messages: Message[] = [...(hasSystem ? [says('system', 'S')] : []), says('user', 'hello')];
      let before = marksOf(messages, [], true);
      for (const added of steps) {
        messages.push(...added);
        const marks = marksOf(messages, [], true);
        expect(marks.length).toBeLessThanOrEqual(4);
        expect([...marks].sort((a, b) => a - b)).toEqual(marks);
        expect(new Set(marks).size).toBe(marks.length);
        expect(marks.at(-1)!).toBeLessThan(messages.length);
        expect(marks).toContain(before.at(-1));
        for (const at of marks) expect(messages[at]!.role).not.toBe('assistant');
        before = marks;
      }
    }),
    { numRuns: 300 },
  );
});

describe('marks', () => {
  it('stand on nothing that is never sent', () => {
    expect(marksOf([says('system', ' '), says('user', '\n')], [], true)).toEqual([]);
    expect(marksOf([says('system', 'S'), says('user', 'a'), says('user', ' ')], [], true)).toEqual([0, 1]);
    expect(marksOf([], [], true)).toEqual([]);
  });

  it('stand on the front alone when history is not to be kept', () => {
    expect(marksOf([says('system', 'S'), says('user', 'a')], [], false)).toEqual([0]);
  });
});
