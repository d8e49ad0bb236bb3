/** `treblehook session show`: one session, told from its log. */
import { effectsOf } from '../effects.js';
import { approvalOf, textOf, type Tool } from '@treblehook/types';
import { createColors } from '../colors.js';
import { givenOf } from '../given.js';
import { exitCodes, jsonText, wantsColor, type Io } from '../io.js';
import { redactor } from '../redact.js';
import { openKept, type StoreFlags } from '../store-file.js';
import { builtInTools } from '../tools/built-in.js';
import { sessionDocument, type SessionDocument, type ShownRequest } from './document.js';
import { findSession, rootOf } from './find.js';
import { grantsOf, revokedOf } from './granted.js';
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
    const consents = { grants: await grantsOf(kept, found), revoked: await revokedOf(kept, found) };
    const told = sessionDocument(flags, found, Date.now(), io, root, consents);
    const dir = givenOf(root.view.runs.at(-1))?.dir;
    const document = redactor(io.env).data(dir === undefined ? told : await withEffects(told, dir));
    const { bold } = createColors(wantsColor(io.stdout, io.env));
    const text = flags.json ? jsonText(document, 2) : sessionLines(document, bold, io.stdout).join('\n');
    io.stdout.write(`${text}\n`);
    return exitCodes.done;
  } finally {
    await kept?.store.close();
  }
}

/** With what each call that waits would do now, by the built-in tools over the folder of the run: no server is started. */
async function withEffects(document: SessionDocument, dir: string): Promise<SessionDocument> {
  const { tools, fault } = toolsOver(dir);
  const one = async (request: ShownRequest): Promise<ShownRequest> => {
    const isCall = approvalOf(request) !== undefined;
    const effects = isCall && fault !== undefined ? { fault } : await effectsOf(request, tools);
    return effects === undefined ? request : { ...request, effects };
  };
  return { ...document, open: await Promise.all(document.open.map(one)) };
}

function toolsOver(dir: string): { readonly tools: readonly Tool[]; readonly fault?: string } {
  try {
    return { tools: builtInTools(dir) };
  } catch (error) {
    return { tools: [], fault: textOf(error) };
  }
}
