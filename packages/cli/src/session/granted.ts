/** What is granted for a session, and what was and is taken back: in its own log, and in those of its open children. */
import type { SessionGrant } from '@treblehook/agent';
import type { Grant, StoredRecord } from '@treblehook/types';
import type { Kept } from '../store-file.js';
import { findSession, type Found } from './find.js';
import { isOpen } from './state.js';
import { timeText } from './time.js';

/** A grant as its log tells of it. Times are ms since the epoch. */
export interface ToldGrant extends Grant {
  readonly at: number;
  /** When it was taken back. */
  readonly revokedAt?: number;
}

/** Each grant of a log, in the order in which they were given. */
export function grantsToldBy(records: readonly StoredRecord[]): readonly ToldGrant[] {
  const revoked = new Map(
    records.flatMap(({ at, record }) => (record.type === 'revoked' ? [[record.grantId, at] as const] : [])),
  );
  return records.flatMap(({ at, record }) => {
    if (record.type !== 'grant') return [];
    const revokedAt = revoked.get(record.grant.id);
    return [{ ...record.grant, at, ...(revokedAt !== undefined && { revokedAt }) }];
  });
}

/** How long a grant holds, in words: for the session, until when, taken back when. */
export function termText({ digest, until, revokedAt }: ToldGrant): string {
  const range = digest === undefined ? ', with any arguments' : '';
  const end = until === undefined ? '' : `, until ${timeText(until)}`;
  const back = revokedAt === undefined ? '' : `, taken back ${timeText(revokedAt)}`;
  return `for the rest of the session${range}${end}${back}`;
}

/** What stands. Grants of a child are over with it. */
export async function grantsOf(kept: Kept | undefined, found: Found): Promise<readonly SessionGrant[]> {
  if (found.summary.parent !== undefined && !isOpen(found.summary)) return [];
  const children = await childrenOf(kept, found, [found.view.agent ?? '']);
  return [
    ...found.view.grants,
    ...children.flatMap(({ child, path }) =>
      child.view.grants.map((grant) => ({ ...grant, sessionId: child.summary.sessionId, path })),
    ),
  ];
}

/** What was granted and is taken back; of a child, with the agents that lead to it. */
export type RevokedGrant = ToldGrant & Pick<SessionGrant, 'path'>;

export async function revokedOf(kept: Kept | undefined, found: Found): Promise<readonly RevokedGrant[]> {
  const children = await childrenOf(kept, found, [found.view.agent ?? '']);
  return [found, ...children.map(({ child }) => child)].flatMap(({ records }, at) =>
    grantsToldBy(records)
      .filter(({ revokedAt }) => revokedAt !== undefined)
      .map((grant) => ({ ...grant, ...(at > 0 && { path: children[at - 1]!.path }) })),
  );
}

interface Child {
  readonly child: Found;
  readonly path: readonly string[];
}

/** The open children of a session, and theirs. */
async function childrenOf(
  kept: Kept | undefined,
  { summary }: Found,
  path: readonly string[],
): Promise<readonly Child[]> {
  if (kept === undefined || !isOpen(summary)) return [];
  const all: Child[] = [];
  for (const { sessionId, parent, last } of await kept.store.list()) {
    if (parent !== summary.sessionId || !isOpen({ last })) continue;
    const child = await findSession(kept, sessionId);
    const way = [...path, child.view.agent ?? ''];
    all.push({ child, path: way }, ...(await childrenOf(kept, child, way)));
  }
  return all;
}
