// Owns the laws of the tally: what it gives is what the count gives, and what was counted is not counted again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens, tokenTally, type Message, type ToolDescriptor } from '../src/index.js';

const frozen = (role: Message['role'], text: string): Message =>
  Object.freeze({ role, content: Object.freeze([Object.freeze({ type: 'text' as const, text })]) });
const tools: readonly ToolDescriptor[] = Object.freeze([
  Object.freeze({ name: 'look', description: 'looks', inputSchema: { type: 'object' } }),
]);

/** A tally, and how many messages and tools its count was given. */
function counted() {
  const given = { messages: 0, tools: 0 };
  const tally = tokenTally((messages, tools) => {
    given.messages += messages.length;
    given.tools += tools?.length ?? 0;
    return estimateTokens(messages, tools);
  });
  return { tally, given };
}

describe('a tally', () => {
  it('of a conversation that grows counts each message once, and its tools once', () => {
    const { tally, given } = counted();
    const front = frozen('system', 'be brief');
    let messages: readonly Message[] = Object.freeze([front]);
    for (let at = 0; at < 1_000; at++) {
      messages = Object.freeze([...messages, frozen('user', `question ${at}`)]);
      expect(tally(messages, tools)).toBe(estimateTokens(messages, tools));
      expect(tally(messages, tools)).toBe(estimateTokens(messages, tools));
    }
    expect(given).toEqual({ messages: 1_001, tools: 1 });
  });

  it('of a conversation whose system text is another one counts that alone', () => {
    const { tally, given } = counted();
    const rest = Array.from({ length: 100 }, (_, at) => frozen('user', `question ${at}`));
    for (const text of ['one', 'another one']) {
      const messages = Object.freeze([frozen('system', text), ...rest]);
      expect(tally(messages)).toBe(estimateTokens(messages));
    }
    expect(given.messages).toBe(102);
  });

  it('keeps conversations apart that are asked about in turns', () => {
    const { tally, given } = counted();
    const one = Array.from({ length: 101 }, (_, at) => frozen('user', `one ${at}`));
    const two = Array.from({ length: 101 }, (_, at) => frozen('user', `two, and longer ${at}`));
    for (let many = 1; many <= 101; many++) {
      for (const all of [one, two]) {
        const messages = all.slice(0, many);
        expect(tally(messages)).toBe(estimateTokens(messages));
      }
    }
    expect(given.messages).toBe(202);
  });

  it('takes no message for counted that may have changed, nor a list that grew in place', () => {
    const { tally } = counted();
    const part = { type: 'text' as const, text: 'short' };
    const message: Message = { role: 'user', content: [part] };
    const messages = [message];
    expect(tally(messages)).toBe(estimateTokens(messages));
    part.text = 'not short any more, and in the same place';
    expect(tally(messages)).toBe(estimateTokens(messages));
    const growing = [frozen('user', 'one')];
    expect(tally(growing)).toBe(estimateTokens(growing));
    growing.push(frozen('user', 'two'));
    expect(tally(growing)).toBe(estimateTokens(growing));
    growing[1] = frozen('user', 'another two');
    expect(tally(growing)).toBe(estimateTokens(growing));
  });

  it('for any chain of changes gives what the count gives', () => {
    const change = fc.record({ keep: fc.nat(12), from: fc.nat(3), more: fc.array(fc.string(), { maxLength: 4 }) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), fc.boolean(), (changes, hasFront) => {
        const { tally } = counted();
        const front = hasFront ? [frozen('system', 'front')] : [];
        let rest: readonly Message[] = [frozen('user', 'first')];
        for (const { keep, from, more } of changes) {
          rest = [...rest.slice(from % 2, keep + from), ...more.map((text) => frozen('user', text))];
          const messages = Object.freeze([...front, ...rest]);
          expect(tally(messages, tools)).toBe(estimateTokens(messages, tools));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('hands on what the count throws, and remembers nothing of it', () => {
    let broken = true;
    const tally = tokenTally((messages) => {
      if (broken) throw new Error('no tokenizer');
      return messages.length;
    });
    const messages = [frozen('user', 'one'), frozen('user', 'two')];
    expect(() => tally(messages)).toThrow('no tokenizer');
    broken = false;
    expect(tally(messages)).toBe(2);
  });
});
