/** `treblehook session revoke`: what was granted for a session is taken back. */
import type { SessionGrant } from '@treblehook/agent';
import { createHost } from '@treblehook/host';
import { didYouMean } from '@treblehook/types';
import { exitCodes, jsonText, oneLine, type Io } from '../io.js';
import { redactor } from '../redact.js';
import { openKept, type StoreFlags } from '../store-file.js';
import { UsageError } from '../usage-error.js';
import { findSession, rootOf } from './find.js';
import { grantsOf } from './granted.js';

export interface RevokeFlags extends StoreFlags {
  readonly session: string;
  readonly grant: string;
  readonly json?: boolean | undefined;
}

/** Rejects with `TH_SESSION_BUSY` while another process has the session. */
export async function revokeGrant(flags: RevokeFlags, io: Io): Promise<number> {
  const redact = redactor(io.env);
  const kept = openKept(flags, io);
  try {
    const found = await findSession(kept, flags.session);
    assertGranted(flags.session, await grantsOf(kept, found), flags.grant);
    const root = await rootOf(kept, found); // which has the grants of its children too
    const host = await createHost({
      model: 'offline',
      store: kept!.store,
      cwd: io.cwd,
      ...(root.view.agent !== undefined && { name: root.view.agent }), // a session is one of its agent
    });
    try {
      await host.agent.session(root.summary.sessionId).revoke(flags.grant);
    } finally {
      await host.close();
    }
    const grants = await grantsOf(kept, await findSession(kept, flags.session));
    const document = redact.data({ sessionId: flags.session, revoked: flags.grant, grants });
    const text = `${document.revoked} is revoked: what it was for is asked about anew`;
    io.stdout.write(`${flags.json ? jsonText(document, 2) : oneLine(text)}\n`);
    return exitCodes.done;
  } finally {
    await kept?.store.close();
  }
}

function assertGranted(sessionId: string, grants: readonly SessionGrant[], grant: string): void {
  const ids = grants.map(({ id }) => id);
  if (ids.includes(grant)) return;
  const mend = didYouMean(grant, ids) ?? (ids.length === 0 ? 'it has none' : `there is ${ids.join(', ')}`);
  throw new UsageError(`the session '${sessionId}' has no grant '${grant}': ${mend}`);
}
