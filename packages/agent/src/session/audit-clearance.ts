/** What it takes for a body to start, replayed from a log: the guards' verdicts, and a yes to each of their questions. */
import type { AskRecord, GuardVerdict, LoggedSeal, ToolCallRecord } from '@treblehook/types';
import { canonicalJson } from '../door/canonical.js';
import type { Asked, Consents, OfAttempt, Place } from './audit-consents.js';
import type { AuditProblem } from './audit-contract.js';

export type Fault = Pick<AuditProblem, 'code' | 'what'>;

/** What the guards have said, in a record of either kind. */
export type Said = Pick<ToolCallRecord, 'verdicts' | 'asks'>;

export interface Clearing extends OfAttempt {
  readonly sealed: LoggedSeal;
  readonly said: Said;
  /** All that was asked about the attempt so far. */
  readonly requests: readonly Asked[];
}

/** Empty: some guard was asked, none has denied, and each question was answered with yes for this very call. */
export function clearingFaults(consents: Consents, clearing: Clearing): readonly Fault[] {
  const { sealed, said, requests } = clearing;
  const { verdicts, asks } = said;
  const faults: Fault[] = verdictFaults(verdicts, asks);
  for (const asked of requests) {
    const why = consents.noYes(asked);
    if (why !== undefined) faults.push({ code: 'not-granted', what: why });
  }
  for (const ask of asks) {
    const why = consents.fault(ask, clearing, sealed);
    if (why !== undefined) faults.push({ code: 'not-granted', what: of(ask, why) });
  }
  return faults;
}

/**
 * Grants that were over, or taken back, there. The loop looks once more behind the record, and a store may write a revocation in
 * front of a start that was in flight: it counts only where a body has run on it.
 */
export const goneFaults = (consents: Consents, { asks }: Said, at: Place): readonly Fault[] =>
  asks.flatMap((ask) => {
    const why = consents.gone(ask, at);
    return why === undefined ? [] : [{ code: 'not-granted', what: of(ask, why) }];
  });

function verdictFaults(verdicts: readonly GuardVerdict[], asks: readonly AskRecord[]): Fault[] {
  if (verdicts.length === 0) return [{ code: 'no-guards', what: 'no guard was there to ask' }];
  const faults: Fault[] = [];
  for (const { verdict, kind, by } of verdicts) {
    if (verdict !== 'pass' && verdict !== 'ask') {
      faults.push({ code: 'no-clearance', what: `'${by.id}' has denied it` });
    } else if (kind !== 'policy') faults.push({ code: 'no-clearance', what: `'${by.id}' has failed on it` });
  }
  const asking = verdicts.filter(({ verdict }) => verdict === 'ask').map(({ by }) => by.id);
  if (
    !isSame(
      asking,
      asks.map(({ guard }) => guard),
    )
  ) {
    faults.push({ code: 'no-clearance', what: 'the questions are not those of the guards that ask' });
  }
  return faults;
}

/** The guards have let it pass, as far as they say. */
export const isCleared = ({ decision, asks }: ToolCallRecord): boolean =>
  decision === 'clear' || (decision === 'ask' && asks.every(({ granted }) => granted !== undefined));

export const isSameSaid = (one: Said, other: Said): boolean =>
  isSame([one.verdicts, one.asks], [other.verdicts, other.asks]);

const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one as never) === canonicalJson(other as never);

const of = ({ question, guard }: AskRecord, why: string): string => `'${question}' of '${guard}': ${why}`;
