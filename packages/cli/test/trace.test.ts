// Owns the laws of the trace: what a handler did stands in its row, and a fault is never left out.
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, type LLMRequest, type Message, type SealedToolCall } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { recordTrace, traceTable } from '../src/index.js';

const origin = { runId: 'r', sessionId: 's', agentPath: ['agent'], personality: 'p', turn: 0 };
const message = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const request = (model = 'big'): LLMRequest => ({
  origin,
  messages: Array.from({ length: 41 }, (_, at) => message(`m${at}`)),
  tools: [],
  toolSet: [],
  model,
  models: ['big', 'small'],
  settings: {},
  inject: [],
});
const sealed: SealedToolCall = {
  origin,
  callId: 'c',
  attempt: 1,
  batch: { id: 'b', index: 0, size: 1, names: ['delete_file'] },
  tool: { source: 'host', name: 'delete_file', digest: '0' },
  args: {},
  digest: '0',
  supplied: false,
};
const traced = () => {
  const registry = createHookRegistry(agentHooks, {});
  return { registry, trace: recordTrace(registry) };
};
const told = ({ rows }: ReturnType<typeof traced>['trace']) => rows.map(({ by, outcome, what }) => [by, outcome, what]);

describe('a row of the trace', () => {
  it('says what each stage changed against what it saw', async () => {
    const { registry, trace } = traced();
    registry.registerModifying('beforeLLM', ({ messages }) => ({ messages: messages.slice(-9) as Message[] }), {
      id: 'first',
    });
    registry.registerModifying('beforeLLM', ({ messages }) => ({ messages: messages.slice(-7) as Message[] }), {
      id: 'compaction',
    });
    registry.registerModifying('beforeLLM', () => ({ model: 'small' }), { id: 'route-gate' });
    await registry.fireModifying('beforeLLM', request());
    expect(told(trace)).toEqual([
      ['first', 'amended', 'messages 41 → 9'],
      ['compaction', 'amended', 'messages 9 → 7'],
      ['route-gate', 'amended', 'model big → small'],
    ]);
    expect(trace.rows.every(({ ms }) => ms >= 0)).toBe(true);
  });

  it('says of a value that was there already that it was', async () => {
    const { registry, trace } = traced();
    registry.registerModifying('beforeLLM', () => ({ model: 'big' }), { id: 'same' });
    await registry.fireModifying('beforeLLM', request());
    expect(told(trace)).toEqual([['same', 'amended', 'model set to big, which it was already']]);
  });

  it('names rewritten messages, added messages and settings', async () => {
    const { registry, trace } = traced();
    registry.registerModifying(
      'beforeLLM',
      ({ messages }) => ({
        messages: messages.map((one, at) => (at === 3 ? message('x') : one)),
        inject: [message('y'), message('z')],
        settings: { temperature: 0 },
      }),
      { id: 'one' },
    );
    await registry.fireModifying('beforeLLM', request());
    expect(told(trace)).toEqual([
      ['one', 'amended', 'messages 41, 1 of them rewritten; inject +2; settings {} → {"temperature":0}'],
    ]);
  });

  it('carries the reason of a denial, the question of an ask, and a pass of who passed', async () => {
    const { registry, trace } = traced();
    registry.registerClaiming('toolPolicy', () => undefined, { id: 'a' });
    registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'b' });
    registry.registerClaiming('toolPolicy', () => ({ deny: 'no', halt: true }), { id: 'c' });
    await registry.fireClaiming('toolPolicy', sealed);
    expect(told(trace)).toEqual([
      ['a', 'passed', ''],
      ['b', 'asked', 'may it?'],
      ['c', 'denied', 'no; the run ends'],
    ]);
    expect(trace.rows[0]).toMatchObject({ turn: 0, hook: 'toolPolicy', about: 'delete_file' });
  });

  it('carries the fault of a handler, and what was refused of an amendment', async () => {
    const { registry, trace } = traced();
    registry.registerModifying('beforeLLM', () => ({ model: 'small' }), { id: 'route-gate' });
    registry.registerModifying('beforeLLM', () => ({ model: 'big', settings: { seed: 1 } }), { id: 'redact' });
    registry.registerModifying(
      'beforeLLM',
      () => {
        throw new Error('boom');
      },
      { id: 'broken' },
    );
    await registry.fireModifying('beforeLLM', request());
    expect(told(trace)).toMatchObject([
      ['broken', 'failed', expect.stringContaining('boom')],
      ['route-gate', 'amended', 'model big → small'],
      ['redact', 'amended', expect.stringMatching(/settings .*; .*may not set 'model'.*locked by 'route-gate'/)],
    ]);
  });

  it('stands for a handler whose fault rejected the whole fire', async () => {
    const { registry, trace } = traced();
    registry.registerModifying(
      'beforeLLM',
      () => {
        throw new Error('boom');
      },
      { id: 'gate', onError: 'abort' },
    );
    const error: unknown = await registry.fireModifying('beforeLLM', request()).catch((fault: unknown) => fault);
    trace.stop(error);
    expect(told(trace)).toMatchObject([['gate', 'failed', expect.stringContaining('boom')]]);
  });

  it('is not written for a point that nobody sits on, nor after the recording has ended', async () => {
    const { registry, trace } = traced();
    await registry.fireModifying('beforeLLM', request());
    expect(trace.rows).toEqual([]);
    trace.stop();
    registry.registerModifying('beforeLLM', () => ({ model: 'small' }), { id: 'late' });
    await registry.fireModifying('beforeLLM', request());
    expect(trace.rows).toEqual([]);
  });
});

describe('the table of a trace', () => {
  it('stands one line a row, and control characters in it are shown, not sent', () => {
    const lines = traceTable([
      {
        turn: 3,
        hook: 'toolPolicy',
        about: 'rm\u001B[2J',
        by: 'x',
        outcome: 'denied',
        what: 'no\nmore\u0007',
        ms: 1.26,
      },
    ]);
    expect(lines).toEqual([
      'turn  hook                  handler  verdict   ms  what it changed, or why',
      '   3  toolPolicy rm\\x1b[2J  x        denied   1.3  no more\\x07',
    ]);
  });

  it('says so when nobody took part', () => {
    expect(traceTable([])).toEqual(['no handler took part']);
  });
});
