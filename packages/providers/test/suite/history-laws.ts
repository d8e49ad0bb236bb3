/** What a history becomes on the wire. The servers refuse what the real APIs would refuse. */
import { expect, it } from 'vitest';
import type { ModelCallOptions, ModelMessage } from '@treblehook/types';
import { ask, hello, messageOf, results, says, weather } from '../exchange.js';
import type { Bench } from './bench.js';

export function historyLaws({ start, bodies, inputsOf }: Bench): void {
  it('sends calls and their results back well-formed', async () => {
    const { wire, port } = await start([
      {
        calls: [
          { id: 'call_1', name: 'weather', args: { city: 'Bern' } },
          { id: 'call_2', name: 'weather', args: { city: 'Oslo' } },
        ],
      },
      { text: 'Bern is warmer.' },
    ]);
    const first = await ask(port, { prompt: [says('Compare.')], tools: [weather] });
    const prompt = [
      says('Compare.'),
      messageOf(first),
      results(['call_1', 'weather', '21 degrees'], ['call_2', 'weather', 'no such city', 'error-text']),
    ];
    expect((await ask(port, { prompt, tools: [weather] })).text).toBe('Bern is warmer.');
    expect(wire.requests[1]!.body).toMatchObject(bodies.calls as object);
  });

  it('sends a call whose arguments were no JSON back as an object, so that the history stays usable', async () => {
    const bad = ['{"zone": Bern', '[1,2]', '"text"', ''];
    const { wire, port } = await start([
      { calls: bad.map((args, at) => ({ id: `call_${at}`, name: 'time', args })) },
      { text: 'I see.' },
    ]);
    const first = await ask(port);
    expect(first.calls).toHaveLength(4);
    const back = results(...bad.map((_, at): [string, string, string] => [`call_${at}`, 'time', 'bad arguments']));
    expect((await ask(port, { prompt: [...hello.prompt, messageOf(first), back] })).text).toBe('I see.');
    // what the model wrote is there for it to mend
    expect(inputsOf(wire.requests[1]!.body)).toEqual([{ input: bad[0] }, { input: [1, 2] }, { input: 'text' }, {}]);
  });

  // https://github.com/langchain-ai/langchainjs/issues/9319
  it('puts a later system message where the dialect allows one', async () => {
    const { wire, port } = await start([{ text: 'ok' }]);
    await ask(port, {
      prompt: [
        { role: 'system', content: 'Be brief.' },
        ...hello.prompt,
        { role: 'system', content: 'Today is Monday.' },
      ],
    });
    expect(wire.requests[0]!.body).toMatchObject(bodies.laterSystem as object);
  });

  it('takes a deeply frozen request, and leaves it as it is', async () => {
    const { wire, port } = await start([{ text: 'ok' }]);
    const call: ModelMessage = {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'call_1', toolName: 'weather', input: { city: 'Bern', near: ['Thun'] } },
      ],
    };
    const options: ModelCallOptions = {
      prompt: [
        { role: 'system', content: 'Be brief.' },
        says('hello'),
        call,
        results(['call_1', 'weather', '21 degrees']),
      ],
      tools: [weather],
    };
    const before = JSON.stringify(options);
    await ask(port, frozen(options));
    expect(JSON.stringify(options)).toBe(before);
    expect(wire.requests).toHaveLength(1);
  });

  // https://github.com/vercel/ai/issues/9968
  it('keeps calls and results paired over many rounds', async () => {
    const rounds = 5;
    const { port } = await start([
      ...Array.from({ length: rounds }, (_, round) => ({
        text: `round ${round}`,
        calls: [0, 1, 2].map((at) => ({
          id: `call_${round}_${at}`,
          name: 'weather',
          args: { city: `${round}/${at}` },
        })),
      })),
      { text: 'done' },
    ]);
    const prompt: ModelMessage[] = [says('Go.')];
    for (let round = 0; round < rounds; round++) {
      const answer = await ask(port, { prompt, tools: [weather] });
      prompt.push(
        messageOf(answer),
        results(
          ...answer.calls.map(({ toolCallId, toolName }): [string, string, string] => [toolCallId, toolName, 'ok']),
        ),
      );
      if (round === 2) prompt.push(says('And go on.'));
    }
    expect((await ask(port, { prompt, tools: [weather] })).text).toBe('done');
  });
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) frozen(inner);
    Object.freeze(value);
  }
  return value;
}
