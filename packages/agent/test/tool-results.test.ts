import { describe, expect, it } from 'vitest';
import { type Tool } from '@treblehook/types';
import { deferred } from '../src/testing/index.js';
import { call, calls, echo, settle } from './kit.js';

import { tool, watched } from './watched.js';

describe('a tool call, once it is answered,', () => {
  it('can be answered by a stage once the guards have agreed, and the record says who answered', async () => {
    const { tool: say, ran } = echo();
    const { agent, registry, ends } = watched([call('echo'), 'ok'], [say]);
    registry.registerModifying(
      'beforeTool',
      () => ({ args: { text: 'b' }, result: { output: 'cached', isError: false } }),
      { id: 'cache' },
    );
    registry.registerModifying('afterTool', ({ result }) => ({ result: { ...result, output: `${result.output}!` } }));
    await agent.run('go');
    expect(ran).toEqual([]);
    expect(ends[0]).toMatchObject({ outcome: 'ok', result: { output: 'cached!' } });
    expect(ends[0]!.record).toMatchObject({ by: 'cache', decision: 'clear', verdicts: [{ verdict: 'pass' }] });
  });

  it.each<[string, Tool['execute'], RegExp, boolean]>([
    ['a text', () => 'plain', /^plain$/, false],
    ['a promise of a result', async () => ({ output: 'later', isError: true }), /^later$/, true],
    [
      'a throw',
      () => {
        throw new Error('boom');
      },
      /'t' failed: boom/,
      true,
    ],
    ['a rejection', () => Promise.reject(new Error('bang')), /'t' failed: bang/, true],
    ['nothing', (() => undefined) as never, /answered undefined: a result is a text/, true],
    ['a number', (() => 5) as never, /answered number/, true],
    ['a result without isError', (() => ({ output: 'x' })) as never, /'isError' is neither/, true],
    [
      'no metadata',
      (() => ({ output: 'x', isError: false, metadata: null })) as never,
      /'metadata' is no object/,
      true,
    ],
    ['a list of metadata', (() => ({ output: 'x', isError: false, metadata: [] })) as never, /'metadata' is no/, true],
    [
      'metadata that is no JSON',
      (() => ({ output: 'x', isError: false, metadata: { f: () => 1 } })) as never,
      /no plain JSON|not plain JSON/,
      true,
    ],
  ])('whose body answers with %s has one result', async (_, execute, output, isError) => {
    const { agent, ends } = watched([call('t'), 'ok'], [tool('t', execute)]);
    const { toolCalls } = await agent.run('go');
    expect(toolCalls).toHaveLength(1);
    expect(toolCalls[0]).toMatchObject({
      isError,
      output: expect.stringMatching(output),
      outcome: isError ? 'error' : 'ok',
    });
    expect(ends).toHaveLength(1);
  });

  it('lets nothing of its raw result out before every stage of afterTool has settled', async () => {
    const gate = deferred();
    const { agent, registry, model, ends } = watched([call('t'), 'ok'], [tool('t', () => 'password: hunter2')]);
    const told: unknown[] = [];
    registry.events.on('fired', ({ hook, payload }) => {
      if (hook !== 'afterTool') told.push(payload);
    });
    registry.registerModifying('afterTool', async ({ result }) => {
      await gate.promise;
      return { result: { ...result, output: result.output.replace('hunter2', '***') } };
    });
    const stream = agent.stream('go');
    const events: unknown[] = [];
    const all = (async () => {
      for await (const event of stream) events.push(event);
    })();
    await settle();
    expect(JSON.stringify([told, events, ends])).not.toContain('password');
    gate.resolve();
    await all;
    expect(JSON.stringify([told, events, ends, model.calls])).not.toContain('hunter2');
    expect(JSON.stringify(events)).toContain('password: ***');
    expect(ends[0]!.result.output).toBe('password: ***');
  });

  // https://github.com/earendil-works/pi/issues/3084
  it('whose result a gate of afterTool cannot amend gets an error in its place; its siblings are not touched', async () => {
    const { tool: say, ran } = echo();
    const { agent, registry, ends } = watched(
      [calls(...Array.from({ length: 13 }, (_, at) => ({ name: 'echo', args: { text: `secret ${at}` } }))), 'ok'],
      [say],
    );
    registry.registerModifying(
      'afterTool',
      ({ batch }) => {
        if (batch.index === 3) throw new Error('cannot redact secret 3');
        return undefined;
      },
      { id: 'redact', onError: 'abort' },
    );
    const { toolCalls, messages } = await agent.run('go');
    expect(ran).toHaveLength(13);
    expect(toolCalls.map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 13 }, (_, at) => (at === 3 ? 'error' : 'ok')),
    );
    expect(toolCalls[3]!.output).toBe(
      "the hook 'redact' failed on afterTool: the tool has run, its result is withheld",
    );
    expect(JSON.stringify([ends[3]!.result, messages[2]!.content[3]])).not.toContain('secret 3');
    expect(ends[3]!.record).toMatchObject({ by: 'redact', decision: 'clear' });
    expect(messages[2]!.content).toHaveLength(13);
  });

  it('cannot be given a result that is none: the stage is refused by name, the body runs', async () => {
    const { tool: say, ran } = echo();
    const { agent, registry } = watched([call('echo'), 'ok'], [say]);
    const refused: string[] = [];
    registry.events.on('amendmentRefused', ({ by, error }) => refused.push(`${by.hook} ${by.id} ${error.message}`));
    registry.registerModifying('beforeTool', (() => ({ result: { output: 1 } })) as never, { id: 'bad' });
    registry.registerModifying('afterTool', (() => ({ result: { output: 'x' } })) as never, { id: 'worse' });
    const { toolCalls } = await agent.run('go');
    expect(ran).toHaveLength(1);
    expect(toolCalls[0]).toMatchObject({ outcome: 'ok', output: 'said hi' });
    expect(refused).toEqual([
      expect.stringMatching(/^beforeTool bad .*output/),
      expect.stringMatching(/^afterTool worse .*isError/),
    ]);
  });

  // https://github.com/anthropics/claude-code/issues/64237
  it('that fails costs its siblings nothing', async () => {
    const { agent } = watched(
      [calls({ name: 'a', args: {} }, { name: 'b', args: {} }, { name: 'c', args: {} }), 'ok'],
      [
        tool('a', () => 'A'),
        tool('b', () => {
          throw new Error('B');
        }),
        tool('c', () => 'C'),
      ],
    );
    const { toolCalls } = await agent.run('go');
    expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['ok', 'error', 'ok']);
  });

  it('has a result cut in the middle that is too long for the model, and says so; observers get the whole', async () => {
    const { agent, model, ends } = watched(
      [calls({ name: 'long', args: {} }, { name: 'short', args: {} }, { name: 'long', args: {} }), 'ok'],
      [tool('long', () => `begin ${'x'.repeat(200_000)} end`), tool('short', () => 'short')],
    );
    await agent.run('go');
    const parts = model.calls[1]!.prompt.at(-1)!.content as { output: { value: string } }[];
    const [first, second, third] = parts.map(({ output }) => output.value);
    expect(first).toMatch(/^begin x+\n\[… \d+ characters cut from the middle of this result …\]\nx+ end$/);
    expect(second).toBe('short');
    expect(third!.length).toBeGreaterThan(first!.length);
    expect(first!.length + second!.length + third!.length).toBeLessThanOrEqual(80_000);
    expect(ends[0]!.result.output).toHaveLength(200_010);
  });
});
