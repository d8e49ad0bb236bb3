// Owns the laws of the audit: what ran is told with who allowed it, and a log that was altered is found out.
import {
  pending,
  defineTool,
  type Answer,
  type Request,
  type SessionRecord,
  type StoredRecord,
} from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { auditSession, memoryStore, type AgentOptions } from '../src/index.js';
import type { ScriptedStep } from '../src/testing/index.js';
import { call, calls, echo, kit } from './kit.js';

async function logOf(
  script: readonly ScriptedStep[],
  options: Omit<Partial<AgentOptions>, 'model'>,
  guard: (args: any) => unknown = () => undefined,
): Promise<readonly StoredRecord[]> {
  const store = memoryStore();
  const made = kit([...script, { text: 'done' }], { store, ...options });
  made.registry.registerClaiming('toolPolicy', ({ args }) => guard(args) as undefined, { id: 'second' });
  await made.agent.session('s').run('go');
  return store.read('s');
}
const altered = (log: readonly StoredRecord[], type: SessionRecord['type'], change: (record: any) => unknown) =>
  log.map((stored) =>
    stored.record.type === type
      ? {
          ...stored,
          record: { ...stored.record, ...(change(structuredClone(stored.record)) as object) },
        }
      : stored,
  );
const codes = (log: readonly StoredRecord[]): readonly string[] => auditSession(log).problems.map(({ code }) => code);

describe('an honest log', () => {
  it('tells who asked for what, which guards ran, what each said, and what came of it', async () => {
    const { calls: told, problems } = auditSession(
      await logOf([calls('echo', { name: 'echo', args: { text: 'no' } })], { tools: [echo().tool] }, ({ text }) =>
        text === 'no' ? { deny: 'not that' } : undefined,
      ),
    );
    expect(problems).toEqual([]);
    const asked = { personality: 'default', attempt: 1, askedBy: { model: 'scripted', turn: 0 }, name: 'echo' };
    const tool = { source: 'host', name: 'echo', digest: expect.any(String) };
    expect(told).toMatchObject([
      {
        ...asked,
        tool,
        args: { text: 'hi' },
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        decision: 'clear',
        guards: [
          { by: { id: 'open' }, verdict: 'pass' },
          { by: { id: 'second' }, verdict: 'pass' },
        ],
        guardMs: expect.any(Number),
        startedAt: expect.any(Number),
        outcome: 'ok',
      },
      { ...asked, tool, args: { text: 'no' }, decision: 'deny', outcome: 'denied', reason: 'not that', by: 'second' },
    ]);
    expect(told[1]).not.toHaveProperty('startedAt');
  });

  it('tells who approved, by which answer or which grant', async () => {
    const answerer = {
      answer: async ({ id }: Request): Promise<Answer> => ({
        id,
        ok: true,
        reason: 'fine',
        data: { remember: { for: 'session' } },
      }),
    };
    const log = await logOf([call('echo'), call('echo')], { tools: [echo().tool], answerer }, () => ({
      ask: 'may it?',
      rule: 'r',
    }));
    const { calls: told, problems } = auditSession(log);
    expect(problems).toEqual([]);
    expect(told).toMatchObject([
      { decision: 'ask', asks: [{ guard: 'second', rule: 'r', answer: { ok: true, reason: 'fine' } }], outcome: 'ok' },
      { decision: 'ask', asks: [{ grant: { id: expect.any(String), request: expect.any(String) } }], outcome: 'ok' },
    ]);
  });

  it('names the rule of a denial, of a question that waits, and of one that was answered with no', async () => {
    const denied = await logOf([call('echo')], { tools: [echo().tool] }, () => ({ deny: 'not that', rule: 'r' }));
    expect(auditSession(denied).calls).toMatchObject([{ decision: 'deny', by: 'second', rule: 'r' }]);
    const asks = [{ guard: 'second', rule: 'r', question: 'may it?' }];
    const ask = () => ({ ask: 'may it?', rule: 'r' });
    const waiting = await logOf([call('echo')], { tools: [echo().tool] }, ask);
    expect(auditSession(waiting).calls).toMatchObject([{ decision: undefined, requests: [{ asks }] }]);
    const answerer = { answer: async ({ id }: Request): Promise<Answer> => ({ id, ok: false, reason: 'not now' }) };
    const refused = await logOf([call('echo')], { tools: [echo().tool], answerer }, ask);
    expect(auditSession(refused).calls).toMatchObject([
      { outcome: 'denied', by: 'answer', requests: [{ asks, answer: { ok: false, reason: 'not now' } }] },
    ]);
    expect(auditSession(refused).calls[0]).not.toHaveProperty('rule');
  });

  it('tells of other arguments in an answer: what the model gave, what was shown, and what has run', async () => {
    const answerer = {
      answer: async ({ id }: Request): Promise<Answer> => ({ id, ok: true, data: { args: { text: 'other' } } }),
    };
    const log = await logOf([call('echo')], { tools: [echo().tool], answerer }, ({ text }) =>
      text === 'other' ? undefined : { ask: 'may it?' },
    );
    const { calls: told, problems } = auditSession(log);
    expect(problems).toEqual([]);
    expect(told).toMatchObject([
      {
        args: { text: 'other' },
        given: { text: 'hi' },
        edits: [{ request: told[0]!.requests[0]!.id, shown: { text: 'hi' }, args: { text: 'other' } }],
        outcome: 'ok',
      },
    ]);
    const plain = auditSession(await logOf([call('echo')], { tools: [echo().tool] })).calls;
    expect(plain).toMatchObject([{ given: { text: 'hi' }, edits: [] }]);
  });

  it('tells what was wrong with a call whose body has not started', async () => {
    const log = await logOf([call('echo', { text: 7 })], { tools: [echo().tool] });
    const [told] = auditSession(log).calls;
    expect(told).toMatchObject({ outcome: 'error', given: { text: 7 }, edits: [] });
    expect(told!.fault).toMatch(/the arguments of 'echo' do not fit its schema: /);
    const done = auditSession(await logOf([call('echo')], { tools: [echo().tool] })).calls[0];
    expect(done).not.toHaveProperty('fault');
  });

  it('of a call whose process has died the log knows who had cleared it', async () => {
    const log = await logOf([call('echo')], { tools: [echo().tool] });
    const until = log.slice(
      0,
      log.findIndex(({ record }) => record.type === 'outcome'),
    );
    const { calls: told, problems } = auditSession(until);
    expect(problems).toEqual([]);
    expect(told).toMatchObject([
      {
        decision: 'clear',
        guards: [{ by: { id: 'open' } }, { by: { id: 'second' } }],
        outcome: undefined,
        startedAt: expect.any(Number),
      },
    ]);
  });

  it('of a call that waits it tells what was put to whom', async () => {
    const log = await logOf([call('echo')], { tools: [echo().tool] }, () => ({ ask: 'may it?' }));
    const { calls: told, problems } = auditSession(log);
    expect(problems).toEqual([]);
    const waits = { id: expect.any(String), by: 'guards', prompt: 'echo: may it?', answer: undefined };
    expect(told).toMatchObject([{ outcome: undefined, decision: undefined, requests: [waits] }]);
    expect(told[0]).not.toHaveProperty('startedAt');
  });

  it('a call that a body makes is asked for by that call; one that waits, and one that a stage has refused, is no fault', async () => {
    const inner = echo('inner');
    const outer = defineTool({
      name: 'outer',
      description: 'calls another one',
      input: z.object({}),
      execute: async (_, { callTool }) => (await callTool('inner', { text: 'x' })).output,
    });
    const waits = defineTool({
      name: 'waits',
      description: 'waits once',
      input: z.object({}),
      execute: (_, { answer }) => (answer === undefined ? pending({ kind: 'question', prompt: 'which?' }) : 'so'),
    });
    const answerer = { answer: async ({ id }: Request): Promise<Answer> => ({ id, ok: true }) };
    const log = await logOf(
      [calls({ name: 'outer', args: {} }, { name: 'waits', args: {} }, { name: 'nobody', args: {} })],
      {
        tools: [outer, inner.tool, waits],
        answerer,
      },
    );
    const { calls: told, problems } = auditSession(log);
    expect(problems).toEqual([]);
    const outerId = told.find(({ name }) => name === 'outer')!.callId;
    expect(told.find(({ name }) => name === 'inner')).toMatchObject({
      askedBy: { call: outerId },
      outcome: 'ok',
      decision: 'clear',
    });
    expect(told.find(({ name }) => name === 'nobody')).toMatchObject({ outcome: 'error', decision: undefined });
  });
});

describe('an altered log', () => {
  const log = () => logOf([call('echo')], { tools: [echo().tool] });

  it('other arguments, another tool, another digest', async () => {
    const honest = await log();
    expect(codes(honest)).toEqual([]);
    expect(
      codes(altered(honest, 'started', ({ sealed }) => ({ sealed: { ...sealed, args: { text: 'evil' } } }))),
    ).toContain('digest');
    expect(
      codes(
        altered(honest, 'started', ({ sealed }) => ({
          sealed: { ...sealed, tool: { ...sealed.tool, source: 'mcp:x' } },
        })),
      ),
    ).toContain('digest');
    expect(codes(altered(honest, 'outcome', () => ({ args: { text: 'evil' } })))).toContain('digest');
    expect(
      codes(altered(honest, 'outcome', ({ record }) => ({ record: { ...record, digest: '0'.repeat(64) } }))),
    ).toEqual(expect.arrayContaining(['digest', 'other-call']));
    expect(codes(altered(honest, 'started', ({ sealed }) => ({ sealed: { ...sealed, args: [undefined] } })))).toContain(
      'digest',
    );
  });

  it('a result without a clearance, a denial that ran, no guard at all', async () => {
    const honest = await log();
    const record = (more: object) => altered(honest, 'outcome', ({ record: was }) => ({ record: { ...was, ...more } }));
    expect(
      codes(
        record({ decision: undefined, verdicts: [] })
          .filter(({ record: { type } }) => type !== 'started')
          .map((stored, at) => ({ ...stored, seq: at + 1 })),
      ),
    ).toEqual(['no-clearance']);
    expect(codes(record({ decision: 'deny' }))).toEqual(['no-clearance']);
    expect(codes(record({ decision: 'ask', asks: [{ guard: 'g', question: 'q' }] }))).toEqual(['no-clearance']);
    expect(codes(record({ verdicts: [] }))).toEqual(['no-guards']);
    const denied = ({ verdicts }: any) => ({ verdicts: verdicts.map((one: object) => ({ ...one, verdict: 'deny' })) });
    expect(
      codes(altered(honest, 'started', ({ cleared }) => ({ cleared: { ...cleared, ...denied(cleared) } }))),
    ).toEqual(['no-clearance', 'no-clearance']);
  });

  it('a yes that nobody gave', async () => {
    const answerer = {
      answer: async ({ id }: Request): Promise<Answer> => ({ id, ok: true, data: { remember: { for: 'session' } } }),
    };
    const honest = await logOf([call('echo'), call('echo')], { tools: [echo().tool], answerer }, () => ({
      ask: 'may it?',
    }));
    expect(codes(honest)).toEqual([]);
    expect(codes(altered(honest, 'answered', ({ answer }) => ({ answer: { ...answer, ok: false } })))).toContain(
      'not-granted',
    );
    expect(codes(altered(honest, 'answered', ({ answer }) => ({ answer: { ...answer, id: 'other' } })))).toContain(
      'not-granted',
    );
    expect(codes(altered(honest, 'request', () => ({ callId: 'another' })))).toContain('not-granted');
    expect(codes(altered(honest, 'grant', ({ grant }) => ({ grant: { ...grant, digest: '0' } })))).toContain(
      'not-granted',
    );
    expect(codes(altered(honest, 'grant', ({ grant }) => ({ grant: { ...grant, guard: 'x' } })))).toContain(
      'not-granted',
    );
    expect(codes(altered(honest, 'grant', ({ grant }) => ({ grant: { ...grant, id: 'x' } })))).toContain('not-granted');
    const at = honest.findIndex(({ record }) => record.type === 'grant');
    const id = (honest[at]!.record as { grant: { id: string } }).grant.id;
    const revoked = [
      ...honest.slice(0, at + 1),
      { seq: 0, at: 0, record: { type: 'revoked', grantId: id } as const },
      ...honest.slice(at + 1),
    ];
    expect(codes(revoked.map((stored, n) => ({ ...stored, seq: n + 1 })))).toContain('not-granted');
  });

  it('a record that is missing', async () => {
    expect(() => auditSession((async () => [])() as never)).toThrow();
    const honest = await log();
    expect(() => auditSession(honest.toSpliced(2, 1))).toThrow(/record 3 is missing/);
  });
});
