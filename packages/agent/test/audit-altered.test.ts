// Owns the law that a log says what has run by whose yes: an honest one has no problem, wherever its process died, and one in which anything of that was altered has.
import type { SessionRecord, StoredRecord } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { seal } from '../src/door/seal.js';
import { auditSession } from '../src/index.js';
import { goneOn, kinds, logOf } from './audit-kit.js';

const names = Object.keys(kinds);
const numbered = (log: readonly StoredRecord[]): readonly StoredRecord[] =>
  log.map((stored, at) => ({ ...stored, seq: at + 1 }));
/** Records share what nobody changes: each has its own here. */
const copyOf = (log: readonly StoredRecord[]): any[] => JSON.parse(JSON.stringify(log)) as any[];
const problems = (log: readonly StoredRecord[]): readonly string[] => {
  try {
    return auditSession(numbered(log)).problems.map(({ code, what }) => `${code}: ${what}`);
  } catch (error) {
    return [String(error)]; // it is no log any more
  }
};

const ofEnd = [
  'callId',
  'runId',
  'args',
  ...['tool', 'digest', 'decision', 'verdicts', 'asks'].map((key) => `record.${key}`),
];
/** Of each record what bears on what has run, and by whose yes. */
const bearing: { readonly [T in SessionRecord['type']]?: readonly string[] } = {
  answer: ['calls.0.callId', 'calls.0.name'],
  request: ['callId', 'runId', 'parent', 'by', 'request', 'sealed'],
  answered: ['answer'],
  edited: ['callId', 'request', 'sealed'],
  grant: ['grant'],
  started: ['callId', 'runId', 'parent', 'sealed', 'cleared.verdicts', 'cleared.asks'],
  attempt: ofEnd,
  outcome: ofEnd,
};

/** The paths of all values below that are no objects. */
function leavesOf(value: any, path: string): string[] {
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [path];
  return Object.keys(value).flatMap((key) => leavesOf(value[key], path === '' ? key : `${path}.${key}`));
}
const at = (value: any, path: string): any => path.split('.').reduce((inner, key) => inner?.[key], value);
function put(value: any, path: string, change: (was: any) => unknown): void {
  const keys = path.split('.');
  const last = keys.pop()!;
  const inner = keys.length === 0 ? value : at(value, keys.join('.'));
  const is = change(inner[last]);
  if (is === undefined) delete inner[last];
  else inner[last] = is;
}
const others = (was: unknown): readonly unknown[] =>
  typeof was === 'boolean' ? [!was] : typeof was === 'number' ? [5] : ['altered', undefined];

/** The question of a body is none about its call, but for whose it is; what an answer to it says is the body's to read. */
const isOfBody = (log: readonly StoredRecord[], { record }: StoredRecord, path: string): boolean => {
  if (record.type === 'request') return record.by === 'tool' && (path === 'by' || path.startsWith('request.'));
  if (record.type !== 'answered') return false;
  return log.some(
    (one) => one.record.type === 'request' && one.record.by === 'tool' && one.record.request.id === record.answer.id,
  );
};
/** Who has passed, and how a rule words its question, stands in no other record when one alone tells of a clearance. */
function isToldOnce(log: readonly StoredRecord[], index: number, path: string): boolean {
  if (!/\.verdicts\.\d+\.by\.|\.question$/.test(path)) return false;
  const { record } = log[index]!;
  if (record.type !== 'started' && record.type !== 'outcome') return false;
  const of = log.flatMap(({ record: one }) => ('callId' in one && one.callId === record.callId ? [one] : []));
  const here = of.indexOf(record);
  return record.type === 'started' ? of[here + 1]?.type === 'request' : of[here - 1]?.type !== 'started';
}
/** A grant that nothing has run by. */
const isIdle = (log: readonly StoredRecord[], { record }: StoredRecord): boolean =>
  record.type === 'grant' &&
  !log.some(({ record: one }) => one.type === 'started' && JSON.stringify(one.cleared).includes(record.grant.id));
/** Whoever answers a stage sees what it asks, and the audit does not know what that was. */
const isOfStage = ({ record }: StoredRecord, path: string): boolean =>
  record.type === 'request' && record.by === 'stage' && /^request\.(?:kind|prompt)$/.test(path);

describe.each(names)('a call that %s', (name) => {
  const kind = kinds[name]!;

  it('has an honest log, wherever its process dies, and however its session goes on', async () => {
    const honest = await logOf(kind);
    expect(problems(honest)).toEqual([]);
    const begun = honest.findIndex(({ record }) => record.type === 'message');
    for (let count = begun + 1; count < honest.length; count++) {
      expect(problems(honest.slice(0, count)), `before record ${count + 1}`).toEqual([]);
      for (const how of ['resume', 'run'] as const) {
        const log = await goneOn(kind, honest, count, how);
        expect(problems(log), `${how} behind record ${count}, ${honest[count - 1]!.record.type}`).toEqual([]);
      }
    }
  });

  it('has no log in which one value of it is another, or missing', async () => {
    const honest = await logOf(kind);
    const unseen: string[] = [];
    for (const [index, stored] of honest.entries()) {
      const { record } = stored;
      for (const root of bearing[record.type] ?? []) {
        for (const path of leavesOf(at(record, root), root)) {
          if (
            isOfBody(honest, stored, path) ||
            isOfStage(stored, path) ||
            isToldOnce(honest, index, path) ||
            isIdle(honest, stored)
          )
            continue;
          for (const other of others(at(record, path))) {
            const log = copyOf(honest);
            put(log[index].record, path, () => other);
            if (problems(log).length === 0) unseen.push(`${record.type} ${path}: ${String(other)}`);
          }
        }
      }
    }
    expect(unseen).toEqual([]);
  });

  it('has no log without one of the records on which it rests', async () => {
    const honest = await logOf(kind);
    const types = new Set<SessionRecord['type']>(['answer', 'request', 'edited', 'grant', 'started']);
    for (const [index, stored] of honest.entries()) {
      const { record } = stored;
      const isRestedOn = types.has(record.type) || (record.type === 'answered' && !isOfBody(honest, stored, ''));
      if (!isRestedOn || (record.type === 'answer' && record.calls.length === 0)) continue;
      if (record.type === 'request' && record.by !== 'guards') continue;
      if (isIdle(honest, stored)) continue;
      expect(problems(honest.toSpliced(index, 1)), `without ${record.type}, record ${index + 1}`).not.toEqual([]);
    }
  });
});

/** Both records of a call that has run, altered alike. */
function alike(log: readonly StoredRecord[], change: (said: any, record: any) => void): readonly StoredRecord[] {
  const copy = copyOf(log);
  for (const { record } of copy) {
    if (record.type === 'started') change(record.cleared, record);
    if (record.type === 'outcome' || record.type === 'attempt') change(record.record, record);
  }
  return copy;
}
const isAsked = (name: string): boolean => name !== 'is held by a stage';

describe('altered alike where it started and where it ended', () => {
  it.each(names.filter(isAsked))('a call that %s: other arguments than the yes was for', async (name) => {
    const log = alike(await logOf(kinds[name]!), (_, record) => {
      const { tool } = record.sealed ?? record.record;
      const { args, digest } = seal(tool, { text: 'rm -rf /' });
      if (record.sealed !== undefined) record.sealed = { tool, args, digest };
      else {
        record.args = args;
        record.record.digest = digest;
      }
    });
    expect(problems(log)).not.toEqual([]);
  });

  it.each(names.filter(isAsked))('a call that %s: another guard, rule or question than was shown', async (name) => {
    const honest = await logOf(kinds[name]!);
    for (const key of ['guard', 'rule', 'question'] as const) {
      const log = alike(honest, ({ asks, verdicts }) => {
        for (const one of verdicts) if (key === 'guard' && one.verdict === 'ask') one.by.id = 'altered';
        for (const ask of asks) {
          if (key === 'question') delete ask.rule;
          ask[key] = 'altered';
        }
      });
      expect(problems(log), key).not.toEqual([]);
    }
    const silent = alike(honest, (said) => {
      said.asks = [];
    });
    expect(problems(silent)).not.toEqual([]);
  });
});

const indexOf = (log: readonly StoredRecord[], type: SessionRecord['type']): number =>
  log.findIndex(({ record }) => record.type === type);

describe.each(['is approved', 'is given its result by a stage', 'is attempted anew with amended arguments'])(
  'a call that %s',
  (name) => {
    it('goes on behind its end in no log', async () => {
      const honest = await logOf(kinds[name]!);
      const end = indexOf(honest, 'outcome');
      const { callId } = honest[end]!.record as Extract<SessionRecord, { type: 'outcome' }>;
      const itsOwn = honest.slice(0, end + 1).filter(({ record }) => 'callId' in record && record.callId === callId);
      for (const behind of [end + 1, honest.length]) {
        for (const copied of [...itsOwn.map((one) => [one]), itsOwn, honest.slice(0, end + 1)]) {
          const log = honest.toSpliced(behind, 0, ...copied);
          expect(problems(log), `${copied.map(({ record }) => record.type).join()} at ${behind}`).toContainEqual(
            'twice: it had ended before',
          );
        }
      }
    });

    it('is asked for once', async () => {
      const honest = await logOf(kinds[name]!);
      const asked = honest[indexOf(honest, 'answer')]!;
      for (let at = indexOf(honest, 'answer'); at <= honest.length; at++) {
        expect(problems(honest.toSpliced(at, 0, asked))).toContainEqual('twice: it was asked for before');
      }
    });
  },
);

it('a call is made in a run that the log has', async () => {
  for (const name of names) {
    const log = await logOf(kinds[name]!);
    expect(problems(log.toSpliced(indexOf(log, 'run'), 1)), name).toContainEqual(
      expect.stringMatching(/^other-call: the log has no run '/),
    );
  }
});

it('the model is told of the result of a call behind its end', async () => {
  for (const name of names) {
    const log = copyOf(await logOf(kinds[name]!));
    const last = log.findLastIndex(({ record }) => record.type === 'outcome');
    const [outcome] = log.splice(last, 1);
    const told = log.findIndex(({ record }, index) => index >= last && record.type === 'message');
    for (const altered of [log, log.toSpliced(told + 1, 0, outcome)]) {
      expect(problems(altered), name).toContainEqual(
        'no-clearance: the model is told of its result, and it has not ended',
      );
    }
  }
});

it('the attempts of a call are numbered from 1 on', async () => {
  const log = copyOf(await logOf(kinds['is attempted anew with amended arguments']!));
  log[indexOf(log, 'attempt')].record.attempt = 7;
  expect(problems(log)).toContainEqual('other-call: it ends as attempt 7, and 1 was in hand');
});

describe('a yes', () => {
  it('that comes in front of its request is none', async () => {
    for (const name of names) {
      const log = copyOf(await logOf(kinds[name]!));
      const index = indexOf(log, 'answered');
      if (index < 0) continue;
      const [answered] = log.splice(index, 1);
      for (let at = 0; at <= indexOf(log, 'request'); at++) {
        expect(problems(log.toSpliced(at, 0, answered)), `${name}, at ${at}`).toContainEqual(
          expect.stringMatching(/^not-granted: .* the log has not asked it yet$/),
        );
      }
    }
  });

  it('is none behind a no', async () => {
    const log = copyOf(await logOf(kinds['is approved']!));
    const index = indexOf(log, 'answered');
    const [no] = copyOf([log[index]]);
    no.record.answer = { id: no.record.answer.id, ok: false };
    expect(problems(log.toSpliced(index, 0, no))).toContainEqual(
      expect.stringMatching(/^twice: .* was answered before/),
    );
  });

  it('that comes behind the start is none', async () => {
    const log = copyOf(await logOf(kinds['is approved']!));
    const [answered] = log.splice(indexOf(log, 'answered'), 1);
    expect(problems(log.toSpliced(indexOf(log, 'started') + 1, 0, answered))).not.toEqual([]);
  });

  it('starts one body', async () => {
    const log = copyOf(await logOf(kinds['is approved']!));
    const index = indexOf(log, 'started');
    expect(problems(log.toSpliced(index, 0, ...copyOf([log[index]])))).toEqual(['twice: its body had started before']);
  });

  it('for the session is none behind its date, before it was given, and once it is revoked', async () => {
    const honest = await logOf(kinds['is remembered for any arguments up to a date']!);
    const over = copyOf(honest);
    for (const { record } of over) {
      if (record.type === 'answered') record.answer.data.remember.until = 5;
      if (record.type === 'grant') record.grant.until = 5;
    }
    expect(problems(over)).toContainEqual(expect.stringMatching(/^not-granted: .* was over$/));
    const index = indexOf(honest, 'grant');
    const { grant } = honest[index]!.record as Extract<SessionRecord, { type: 'grant' }>;
    const last = honest.findLastIndex(({ record }) => record.type === 'started');
    const revoked: StoredRecord = { seq: 0, at: 0, record: { type: 'revoked', grantId: grant.id } };
    expect(problems(honest.toSpliced(last, 0, revoked))).not.toEqual([]);
    expect(problems(honest.toSpliced(last + 1, 0, revoked))).toEqual([]);
    const late = copyOf(honest);
    const [given] = late.splice(index, 1);
    expect(problems(late.toSpliced(last, 0, given))).not.toEqual([]);
  });

  it('is needed by what has a result of its body, whatever the end calls that', async () => {
    const log = copyOf(await logOf(kinds['is approved']!)).filter(({ record }) => record.type !== 'started');
    for (const { record } of log) {
      if (record.type !== 'outcome') continue;
      record.outcome = record.record.outcome = 'error';
      record.record.decision = 'deny';
    }
    expect(problems(log)).toContainEqual(expect.stringMatching(/^no-clearance: /));
  });
});
