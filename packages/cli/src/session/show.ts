/** `treblehook session show`: one session, told from its log. */
import { createColors } from '../colors.js';
import { exitCodes, jsonText, wantsColor, type Io } from '../io.js';
import { redactor } from '../redact.js';
import { openKept, type StoreFlags } from '../store-file.js';
import { sessionDocument } from './document.js';
import { findSession, rootOf } from './find.js';
import { sessionLines } from './show-text.js';

export interface ShowFlags extends StoreFlags {
  readonly session: string;
  readonly json?: boolean | undefined;
}

export async function showSession(flags: ShowFlags, io: Io): Promise<number> {
  const kept = openKept(flags, io);
  try {
    const found = await findSession(kept, flags.session);
    const root = await rootOf(kept, found);
    const document = redactor(io.env).data(sessionDocument(flags, found, Date.now(), io, root));
    const { bold } = createColors(wantsColor(io.stdout, io.env));
    const text = flags.json ? jsonText(document, 2) : sessionLines(document, bold).join('\n');
    io.stdout.write(`${text}\n`);
    return exitCodes.done;
  } finally {
    await kept?.store.close();
  }
}
