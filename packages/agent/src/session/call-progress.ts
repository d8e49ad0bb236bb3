/** A call of an open run as its records tell it: how far it has come, what was asked about it, what the guards have said. */
import type {
  Answer,
  LoggedCall,
  LoggedClearance,
  LoggedSeal,
  Request,
  RequestSource,
  SessionRecord,
  ToolCallRecord,
} from '@treblehook/types';

type RecordOf<T extends SessionRecord['type']> = Extract<SessionRecord, { readonly type: T }>;

/** What became of a call so far. */
export interface CallProgress {
  readonly call: LoggedCall;
  /** The last attempt that another one was to follow. */
  earlier: RecordOf<'attempt'> | undefined;
  /** Its body was about to start, and nothing came of it. */
  started: LoggedSeal | undefined;
  /** It was not when its run was suspended: it can be run. */
  isUnbegun: boolean;
  /** What the guards had said then. */
  cleared: LoggedClearance | undefined;
  outcome: RecordOf<'outcome'> | undefined;
  requests: CallRequest[];
}
export interface CallRequest {
  readonly by: RequestSource;
  readonly request: Request;
  readonly sealed: LoggedSeal;
  readonly supplied: RecordOf<'request'>['supplied'];
  answer: Answer | undefined;
  /** What the schema has made of the arguments that the answer gave, when these are others. */
  edited: LoggedSeal | undefined;
}

/** The calls of an answer whose results do not stand in the history yet. */
export interface OpenBatch {
  readonly turn: number;
  readonly answer: RecordOf<'answer'>;
  readonly calls: readonly CallProgress[];
}

/** The model has asked for it, and that is all. */
export const notBegun = (call: LoggedCall): CallProgress => ({
  call,
  earlier: undefined,
  started: undefined,
  isUnbegun: false,
  cleared: undefined,
  outcome: undefined,
  requests: [],
});

/** What the guards have said, in the record of a call. */
export type Evidence = Pick<ToolCallRecord, 'decision' | 'verdicts' | 'asks' | 'guardMs' | 'rule'>;

/** What a log knows of it: of a call whose body was about to start, that it was cleared, and by whom. */
export function evidenceIn(progress: CallProgress | undefined): Evidence {
  if (progress !== undefined && isBetween(progress)) return evidenceOf(progress.earlier!.record);
  const cleared = progress?.started && progress.cleared;
  if (cleared === undefined) return { decision: undefined, verdicts: [], asks: [] };
  const { verdicts, asks, ms } = cleared;
  return { decision: 'clear', verdicts, asks, guardMs: ms };
}

const evidenceOf = ({ decision, verdicts, asks, guardMs, rule }: ToolCallRecord): Evidence => ({
  decision,
  verdicts,
  asks,
  ...(guardMs !== undefined && { guardMs }),
  ...(rule !== undefined && { rule }),
});

/** The call as it was sealed last, as far as its log knows. */
export function sealedIn(progress: CallProgress): LoggedSeal | undefined {
  const { started, requests, earlier } = progress;
  const last = requests.at(-1);
  if (started !== undefined || last !== undefined) return started ?? last!.edited ?? last!.sealed;
  if (earlier === undefined) return undefined;
  const { tool, digest } = earlier.record;
  return tool === undefined || digest === undefined ? undefined : { tool, args: earlier.args, digest };
}

/** One attempt is over, and nothing is known of the next: that one stands. */
export const isBetween = ({ earlier, started, requests }: CallProgress): boolean =>
  earlier !== undefined && started === undefined && requests.length === 0;

/** It was taken, and more than that: it was asked about, or its body was about to start. */
export const hasBegun = ({ started, requests }: CallProgress): boolean => started !== undefined || requests.length > 0;

/** Digests of the calls of a batch that answers have refused, and that are over. */
export const refusedIn = (batch: OpenBatch | undefined): string[] =>
  (batch?.calls ?? []).filter(({ outcome }) => outcome !== undefined).flatMap(refusedOf);

/** Digests of one call that answers have refused, of its attempt in hand. */
export const refusedOf = ({ requests }: CallProgress): string[] =>
  requests.filter(({ by, answer }) => by === 'guards' && answer?.ok === false).map(({ sealed }) => sealed.digest);
