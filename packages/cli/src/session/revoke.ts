/** `treblehook session revoke`: what was granted for a session is taken back. */
import { createHost } from '@treblehook/host';
import { didYouMean } from '@treblehook/types';
import { exitCodes, jsonText, oneLine, type Io } from '../io.js';
import { redactor } from '../redact.js';
import { openKept, type StoreFlags } from '../store-file.js';
import { UsageError } from '../usage-error.js';
import { findSession, type Found } from './find.js';

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
    assertGranted(found, flags.grant);
    const host = await createHost({
      model: 'offline',
      store: kept!.store,
      cwd: io.cwd,
      ...(found.view.agent !== undefined && { name: found.view.agent }), // a session is one of its agent
    });
    try {
      await host.agent.session(flags.session).revoke(flags.grant);
    } finally {
      await host.close();
    }
    const { grants } = (await findSession(kept, flags.session)).view;
    const document = redact.data({ sessionId: flags.session, revoked: flags.grant, grants });
    const text = `${document.revoked} is revoked: what it was for is asked about anew`;
    io.stdout.write(`${flags.json ? jsonText(document, 2) : oneLine(text)}\n`);
    return exitCodes.done;
  } finally {
    await kept?.store.close();
  }
}

function assertGranted({ summary: { sessionId }, view }: Found, grant: string): void {
  const ids = view.grants.map(({ id }) => id);
  if (ids.includes(grant)) return;
  const mend = didYouMean(grant, ids) ?? (ids.length === 0 ? 'it has none' : `there is ${ids.join(', ')}`);
  throw new UsageError(`the session '${sessionId}' has no grant '${grant}': ${mend}`);
}
