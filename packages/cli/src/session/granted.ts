/** What is granted for a session: in its own log, and in those of its open children. */
import type { SessionGrant } from '@treblehook/agent';
import type { Kept } from '../store-file.js';
import { findSession, type Found } from './find.js';
import { isOpen } from './state.js';

/** Grants of a child are over with it. */
export async function grantsOf(kept: Kept | undefined, found: Found): Promise<readonly SessionGrant[]> {
  if (found.summary.parent !== undefined && !isOpen(found.summary)) return [];
  return [...found.view.grants, ...(await ofChildren(kept, found, [found.view.agent ?? '']))];
}

async function ofChildren(
  kept: Kept | undefined,
  { summary }: Found,
  path: readonly string[],
): Promise<readonly SessionGrant[]> {
  if (kept === undefined || !isOpen(summary)) return [];
  const all: SessionGrant[] = [];
  for (const { sessionId, parent, last } of await kept.store.list()) {
    if (parent !== summary.sessionId || !isOpen({ last })) continue;
    const child = await findSession(kept, sessionId);
    const way = [...path, child.view.agent ?? ''];
    all.push(...child.view.grants.map((grant) => ({ ...grant, sessionId, path: way })));
    all.push(...(await ofChildren(kept, child, way)));
  }
  return all;
}
