// Logs altered so that what stands in them contradicts what the loop writes: each was told to be right.
import type { StoredRecord } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { seal } from '../src/door/seal.js';
import { auditSession, memoryStore } from '../src/index.js';
import { kinds, logOf } from './audit-kit.js';
import { call, echo, kit } from './kit.js';

type Log = any[];
const copyOf = (log: readonly StoredRecord[]): Log => JSON.parse(JSON.stringify(log)) as Log;
const problems = (log: readonly StoredRecord[]): readonly string[] =>
  auditSession(log.map((stored, at) => ({ ...stored, seq: at + 1 }))).problems.map(
    ({ code, what }) => `${code}: ${what}`,
  );
const indexOf = (log: Log, type: string): number => log.findIndex(({ record }) => record.type === type);
const of = (log: Log, type: string): any => log[indexOf(log, type)].record;
const row = (record: object): StoredRecord => ({ seq: 0, at: 1, record: record as never });
const approved = async (): Promise<Log> => copyOf(await logOf(kinds['is approved']!));
const remembered = async (): Promise<Log> =>
  copyOf(await logOf(kinds['is remembered for any arguments up to a date']!));

/** The call with other arguments, where it started and where it ended. */
function evil(log: Log): Log {
  const { tool, args, digest } = seal(of(log, 'started').sealed.tool, { text: 'EVIL' });
  of(log, 'started').sealed = { tool, args, digest };
  const outcome = of(log, 'outcome');
  outcome.args = args;
  outcome.record.digest = digest;
  return log;
}
/** As if it had never been asked about, and had not run. */
function never(log: Log, outcome: string): Log {
  const end = of(log, 'outcome');
  end.outcome = end.record.outcome = outcome;
  Object.assign(end.record, { verdicts: [], asks: [], decision: undefined, rawDigest: undefined });
  return log.filter(({ record }) => !['request', 'answered', 'started'].includes(record.type));
}

describe('a run that goes on', () => {
  it('explains no other arguments: a wrapper that gives some says so', async () => {
    const log = evil(copyOf(await logOf(kinds['is held by a stage']!)));
    const { runId } = of(log, 'run');
    const bound = expect.stringMatching(/^other-call: it goes on with the digest/);
    expect(problems(log)).toContainEqual(bound);
    expect(problems(log.toSpliced(indexOf(log, 'started'), 0, row({ type: 'resumed', runId })))).toContainEqual(bound);
  });

  it('has a body start once', async () => {
    const log = await approved();
    const { runId } = of(log, 'run');
    const index = indexOf(log, 'started');
    const [again] = copyOf([log[index]]);
    for (const anew of [undefined, true]) {
      again.record.anew = anew;
      const twice = log.toSpliced(index + 1, 0, row({ type: 'resumed', runId }), again);
      expect(problems(twice)).toContainEqual('twice: its body had started before');
    }
    log[index].record.anew = true;
    expect(problems(log)).toEqual(['twice: it starts anew, and had not started before']);
  });

  it('has the child of a task go on, and no tool of the host that is only called so', async () => {
    const store = memoryStore();
    const { agent } = kit([call('task'), 'done'], { store, tools: [echo('task').tool] });
    await agent.session('s').run('go');
    const log = copyOf(await store.read('s'));
    const index = indexOf(log, 'started');
    const resumed = row({ type: 'resumed', runId: of(log, 'run').runId });
    expect(problems(log.toSpliced(index + 1, 0, resumed, log[index]))).toContainEqual(
      expect.stringMatching(/^twice: /),
    );
  });

  it('is the one in hand, and not over', async () => {
    const log = await approved();
    const { runId } = of(log, 'run');
    const index = indexOf(log, 'started');
    const rows = [
      [{ type: 'settled', runId, status: 'aborted' }, /is over$/],
      [{ type: 'settled', runId, status: 'vetoed' }, /is over$/],
      [{ type: 'settled', runId, status: 'pending' }, /nobody has gone on with it$/],
      [{ type: 'run', runId: 'other', input: 'x', personality: 'default' }, /is not the one in hand$/],
    ] as const;
    for (const [record, what] of rows) {
      expect(problems(log.toSpliced(index, 0, row(record)))).toContainEqual(expect.stringMatching(what));
    }
    const behind = [...log, row({ type: 'resumed', runId })];
    expect(problems(behind)).toEqual([expect.stringMatching(/is over$/)]);
  });
});

describe('a yes for the session', () => {
  it('gives a grant once, and none behind its revocation', async () => {
    const log = await remembered();
    const { grant } = of(log, 'grant');
    const last = log.findLastIndex(({ record }) => record.type === 'started');
    const before = /had given a grant of that before$/;
    for (const id of [grant.id, 'grant_new']) {
      const revoked = row({ type: 'revoked', grantId: grant.id });
      const again = row({ type: 'grant', grant: { ...grant, id } });
      const renamed = JSON.parse(JSON.stringify(log).replaceAll(`"grant":"${grant.id}"`, `"grant":"${id}"`)) as Log;
      for (const rows of [[again], [revoked, again]]) {
        expect(problems(renamed.toSpliced(last, 0, ...rows))).toContainEqual(expect.stringMatching(before));
      }
    }
  });

  it('is taken back where the log has it', async () => {
    const log = await remembered();
    const { grant } = of(log, 'grant');
    const index = log.findLastIndex(({ record }) => record.type === 'started');
    const revoked = log.toSpliced(index, 0, row({ type: 'revoked', grantId: grant.id }));
    expect(problems(revoked)).toContainEqual(expect.stringMatching(/had been revoked$/));
    const dangling = revoked.filter(({ record }) => record.type !== 'grant');
    expect(problems(dangling)).toContainEqual(expect.stringMatching(/the log has no such grant$/));
  });

  it('is shown with what edited arguments were sealed as, which no log can prove', async () => {
    const log = copyOf(await logOf(kinds['is edited, and its schema trims that']!));
    expect(auditSession(log).calls[0]!.edits).toMatchObject([{ args: { text: ' other ' }, sealed: { text: 'other' } }]);
    const plain = copyOf(await logOf(kinds['is edited']!));
    expect(auditSession(plain).calls[0]!.edits).toMatchObject([{ args: { text: 'other' }, sealed: { text: 'other' } }]);
  });
});

describe('what never ran', () => {
  it.each(['denied', 'not-started', 'cancelled', 'error'])('has no result: %s', async (outcome) => {
    expect(problems(never(await approved(), outcome))).toContainEqual(
      `no-clearance: it is told as '${outcome}', and its result says otherwise`,
    );
  });

  it.each(['denied', 'not-started', 'cancelled'])('has the text of the loop: %s', async (outcome) => {
    const log = never(await approved(), outcome);
    of(log, 'outcome').result = { output: 'SECRET', isError: true };
    expect(problems(log)).toContainEqual(`no-clearance: it is told as '${outcome}', and its text is none that says so`);
  });

  it('is told of no more', async () => {
    const log = never(await approved(), 'not-started');
    const { runId, callId } = of(log, 'outcome');
    for (const [id, what] of [
      [callId, 'no-clearance: its body is told of ("it ended"), and has not started'],
      ['nobody', 'other-call: nobody has asked for it'],
    ] as const) {
      const late = row({ type: 'late', runId, callId: id, text: 'it ended' });
      expect(problems([...log, late])).toContainEqual(what);
    }
  });
});

const alterations: Readonly<Record<string, (log: Log) => void>> = {
  'the model is told another result': (log) => (toolPart(log).output = 'other'),
  'the model is told that it has failed': (log) => (toolPart(log).isError = true),
  'the model is told of another tool': (log) => (toolPart(log).name = 'other'),
  'the model is told of a call that nobody asked for': (log) =>
    toolMessage(log).content.push({ ...toolPart(log), callId: 'nobody' }),
  'its tool was not offered': (log) => (of(log, 'answer').offered = []),
  'its arguments could not be read': (log) => (of(log, 'answer').calls[0].fault = 'are no JSON'),
  'the answer has other arguments than its message': (log) => (of(log, 'answer').calls[0].args = { text: 'harmless' }),
  'the message asks for nothing': (log) => (of(log, 'answer').message.content = []),
  'the message asks for more': (log) => {
    const { content } = of(log, 'answer').message;
    content.push({ ...content.find((part: any) => part.type === 'tool-call'), callId: 'more' });
  },
  'its record has another outcome': (log) => (of(log, 'outcome').record.outcome = 'denied'),
  'its end has another outcome': (log) => (of(log, 'outcome').outcome = 'error'),
  'its outcome is made up': (log) => (of(log, 'outcome').outcome = of(log, 'outcome').record.outcome = 'bogus'),
  'its record is of another call': (log) => (of(log, 'outcome').record.callId = 'other'),
  'another tool has ended': (log) => (of(log, 'outcome').name = 'other'),
  'the guards have denied it': (log) => {
    const outcome = of(log, 'outcome');
    outcome.outcome = outcome.record.outcome = 'error';
    outcome.result = { output: 'x', isError: true };
    outcome.record.decision = 'deny';
    delete outcome.record.rawDigest;
  },
  'the digest of its raw result is none': (log) => (of(log, 'outcome').record.rawDigest = 'zz'),
};
const toolMessage = (log: Log): any => log.find(({ record }) => record.message?.role === 'tool').record.message;
const toolPart = (log: Log): any => toolMessage(log).content[0];

it.each(Object.keys(alterations))('is no log of the loop: %s', async (name) => {
  const log = await approved();
  expect(problems(log)).toEqual([]);
  alterations[name]!(log);
  expect(problems(log)).not.toEqual([]);
});

it('an end that stands for its attempt tells what that one did', async () => {
  const log = copyOf(await logOf(kinds['is attempted anew with amended arguments']!));
  const last = log.findLastIndex(({ record }) => record.type === 'started');
  const cut = log.toSpliced(last, 1).filter(({ record }, at) => record.type !== 'request' || at < last - 2);
  const { record } = of(cut, 'attempt');
  const outcome = of(cut, 'outcome');
  Object.assign(outcome, { ofAttempt: true, record: { ...record, verdicts: [], asks: [] } });
  expect(problems(cut)).toContainEqual('other-call: its end is not that of the attempt for which it stands');
});
