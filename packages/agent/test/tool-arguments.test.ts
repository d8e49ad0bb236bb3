import type { Tool } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { type JsonValue } from '@treblehook/types';
import { z } from 'zod';
import { call, calls, echo } from './kit.js';

import { tool, watched } from './watched.js';

describe('a tool call, before it runs,', () => {
  it('is checked by its schema before any hook sees it', async () => {
    const { tool: say, ran } = echo();
    const { agent, registry, ends } = watched(
      [calls({ name: 'echo', args: { text: 5 } }, { name: 'echo', args: '{"text":' }), 'ok'],
      [say],
    );
    const seen: string[] = [];
    registry.registerModifying('beforeTool', () => void seen.push('beforeTool'));
    registry.registerModifying('afterTool', () => void seen.push('afterTool'));
    registry.registerClaiming('toolPolicy', () => void seen.push('toolPolicy'));
    const { toolCalls, messages } = await agent.run('go');
    expect([seen, ran]).toEqual([[], []]);
    expect(toolCalls[0]!.output).toMatch(/do not fit its schema: \/text: .*string/);
    expect(toolCalls[1]!.output).toMatch(/are no JSON/);
    expect(toolCalls[1]!.args).toBe('{"text":');
    expect(messages[1]!.content[1]).toMatchObject({ type: 'tool-call', args: '{"text":' });
    expect(ends.map(({ record }) => [record.digest, record.decision, record.verdicts])).toEqual([
      [undefined, undefined, []],
      [undefined, undefined, []],
    ]);
  });

  it('is checked again as hooks have amended it, and the output of the schema is what is sealed and run', async () => {
    const ran: unknown[] = [];
    const input = z.object({ n: z.string().transform(Number), unit: z.string().default('m') });
    const measure = tool('measure', (args) => (ran.push(args), 'ok'), input);
    const { agent, registry } = watched(
      [call('measure', { n: '1' }), call('measure', { n: '1' }), 'ok'],
      [{ ...measure, inputSchema: { type: 'object' } }],
    );
    const asked: JsonValue[] = [];
    registry.registerClaiming('toolPolicy', ({ args }) => void asked.push(args));
    const amendments: unknown[] = [{ args: { n: '2' } }, { args: { n: 3 } }];
    registry.registerModifying('beforeTool', ({ args }) => {
      expect(args).toEqual({ n: '1' });
      return amendments.shift() as { args: { n: string } };
    });
    const { toolCalls } = await agent.run('go');
    expect(ran).toEqual([{ n: 2, unit: 'm' }]);
    expect(asked).toEqual([{ n: 2, unit: 'm' }]);
    expect(toolCalls[0]!.args).toEqual({ n: 2, unit: 'm' });
    expect(toolCalls[1]).toMatchObject({
      outcome: 'error',
      output: expect.stringMatching(/as hooks have amended them/),
    });
  });

  it('whose arguments cannot be sealed is refused before any hook sees it', async () => {
    const { tool: say, ran } = echo();
    const { agent, registry } = watched([call('echo', '{"text":"x","__proto__":{"y":1}}'), 'ok'], [say]);
    const seen: string[] = [];
    registry.registerModifying('beforeTool', () => void seen.push('beforeTool'));
    const { toolCalls } = await agent.run('go');
    expect(toolCalls[0]).toMatchObject({
      outcome: 'error',
      output: "the arguments of 'echo' cannot be sealed: the key '__proto__'",
    });
    expect([ran, seen]).toEqual([[], []]);
  });

  it('is checked by a schema that keeps its rules on itself', async () => {
    class Limit {
      readonly version = 1;
      readonly vendor = 'own';
      readonly #most = 3;
      validate(value: unknown) {
        return (value as { n: number }).n <= this.#most ? { value } : { issues: [{ message: 'too many' }] };
      }
    }
    const take = tool('take', () => 'taken', { '~standard': new Limit() } as Tool['input']);
    const { agent } = watched(
      [calls(...[3, 4].map((n) => ({ name: 'take', args: { n } }))), 'ok'],
      [{ ...take, inputSchema: { type: 'object' } }],
    );
    const { toolCalls } = await agent.run('go');
    expect(toolCalls).toMatchObject([
      { outcome: 'ok' },
      { outcome: 'error', output: expect.stringMatching(/too many/) },
    ]);
  });

  it('cannot be sealed when its schema makes more of the arguments than JSON', async () => {
    const { agent } = watched(
      [call('when', { at: '2020-01-01' }), 'ok'],
      [{ ...tool('when', () => 'ran', z.object({ at: z.coerce.date() }) as never), inputSchema: { type: 'object' } }],
    );
    const { toolCalls } = await agent.run('go');
    expect(toolCalls[0]).toMatchObject({
      outcome: 'error',
      output: expect.stringMatching(/cannot be sealed: a class instance at \/at/),
    });
  });

  // https://github.com/anthropics/claude-code/issues/15897
  it.each([
    ['behind one that says nothing', [undefined, { args: { text: 'new' } }]],
    ['before one that says nothing', [{ args: { text: 'new' } }, undefined]],
    ['alone', [{ args: { text: 'new' } }]],
  ])('keeps the rewrite of a stage that stands %s', async (_, answers) => {
    const { tool: say, ran } = echo();
    const { agent, registry } = watched([call('echo'), 'ok'], [say]);
    for (const answer of answers) registry.registerModifying('beforeTool', () => answer);
    await agent.run('go');
    expect(ran).toEqual([{ text: 'new' }]);
  });

  it('that a stage refuses is denied by name: never sealed, never guarded, never amended', async () => {
    const { tool: say, ran } = echo();
    const { agent, registry, ends } = watched([call('echo'), 'ok'], [say]);
    const seen: string[] = [];
    registry.registerModifying('beforeTool', () => ({ error: 'not today', result: { output: 'x', isError: false } }), {
      id: 'no',
    });
    registry.registerModifying('beforeTool', () => void seen.push('later stage'));
    registry.registerModifying('afterTool', () => void seen.push('afterTool'));
    registry.registerClaiming('toolPolicy', () => void seen.push('toolPolicy'));
    await agent.run('go');
    expect([seen, ran]).toEqual([[], []]);
    expect(ends[0]).toMatchObject({
      outcome: 'denied',
      result: { output: "refused by 'no': not today", isError: true },
    });
    expect(ends[0]!.record).toMatchObject({
      by: 'no',
      reason: 'not today',
      digest: undefined,
      decision: undefined,
      verdicts: [],
    });
  });

  it('that a gate of beforeTool cannot amend is not run; its siblings are', async () => {
    const { tool: say, ran } = echo();
    const { agent, registry, ends } = watched([calls('echo', 'echo'), 'ok'], [say]);
    registry.registerModifying(
      'beforeTool',
      ({ batch }) => {
        if (batch.index === 0) throw new Error('x');
      },
      { id: 'gate', onError: 'abort' },
    );
    expect(await agent.run('go')).toMatchObject({ status: 'done' });
    expect(ran).toHaveLength(1);
    expect(ends[0]).toMatchObject({
      outcome: 'error',
      result: { output: "the hook 'gate' failed on beforeTool: the call was not run" },
      record: { by: 'gate', decision: undefined },
    });
  });

  it('is not held up by a schema that never answers once the run is aborted, nor broken by one that answers nonsense', async () => {
    const schema = (validate: () => unknown): Tool => ({
      ...tool('odd', () => 'ran'),
      input: { '~standard': { version: 1, vendor: 'own', validate: validate as never } },
      inputSchema: { type: 'object' },
    });
    const abort = new AbortController();
    const hanging = watched([call('odd'), 'never'], [schema(() => (abort.abort(), new Promise(() => {})))]);
    expect(await hanging.agent.run('go', { signal: abort.signal })).toMatchObject({
      status: 'aborted',
      toolCalls: [{ outcome: 'cancelled' }],
    });
    for (const answer of [() => undefined, async () => undefined, () => Promise.reject(new Error('no'))]) {
      const { status, toolCalls } = await watched([call('odd'), 'ok'], [schema(answer)]).agent.run('go');
      expect(status).toBe('done');
      expect(toolCalls).toMatchObject([
        { outcome: 'error', output: expect.stringMatching(/its schema failed on them/) },
      ]);
    }
  });
});
