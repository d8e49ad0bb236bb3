/** `treblehook trust list` and `treblehook trust revoke`: the consents that were given. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readTrustFile, revoke } from '@treblehook/host';
import { didYouMean } from '@treblehook/types';
import { exitCodes, jsonText, type Io } from '../io.js';
import { redactor } from '../redact.js';
import { table } from '../table.js';
import { UsageError } from '../usage-error.js';
import { safe } from './item-text.js';
import { trustFile } from './trust-path.js';

export async function listTrust({ json }: { readonly json?: boolean | undefined }, io: Io): Promise<number> {
  const file = trustFile(io.env);
  const records = await readTrustFile(file);
  const redact = redactor(io.env);
  if (json) {
    io.stdout.write(`${jsonText(redact.data({ trust: file, records }), 2)}\n`);
    return exitCodes.done;
  }
  const columns = [{ title: 'what' }, { title: 'folder' }, { title: 'digest' }, { title: 'given' }, { title: 'by' }];
  const rows = records.map(({ kind, id, folder, digest, at, by, package: installed }) => [
    `${kind} ${safe(id)}${installed === undefined ? '' : ` (${safe(installed.version)})`}`,
    safe(folder),
    digest.slice(0, 12),
    safe(at),
    safe(by),
  ]);
  const text = records.length === 0 ? [`no consent is in ${safe(file)}`] : table(columns, rows);
  io.stdout.write(`${redact.text(text.join('\n'))}\n`);
  return exitCodes.done;
}

export interface RevokeTrustFlags {
  readonly id?: string | undefined;
  readonly dir?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Without an id: each consent of the folder. The folder may be gone. Rejects with `UsageError` when there is none. */
export async function revokeTrust({ id, dir, json }: RevokeTrustFlags, io: Io): Promise<number> {
  const file = trustFile(io.env);
  const given = resolve(io.cwd, dir ?? '.');
  const folder = await realpath(given).catch(() => given);
  const here = (await readTrustFile(file)).filter((record) => record.folder === folder);
  if (!here.some((record) => id === undefined || record.id === id)) {
    const ids = here.map((record) => record.id);
    const mend =
      (id === undefined ? undefined : didYouMean(id, ids)) ??
      (ids.length === 0 ? 'treblehook trust list shows all there is' : `there is ${ids.join(', ')}`);
    throw new UsageError(`no consent${id === undefined ? '' : ` to '${id}'`} was given for ${folder}: ${mend}`);
  }
  const taken = await revoke(file, (record) => record.folder === folder && (id === undefined || record.id === id));
  const redact = redactor(io.env);
  if (json) io.stdout.write(`${jsonText(redact.data({ trust: file, folder, revoked: taken }), 2)}\n`);
  else {
    const what = taken.map((record) => `${record.kind} ${record.id}`).join(', ');
    io.stdout.write(
      `${redact.text(safe(`${what}: taken back, and not run in ${folder} before somebody consents again`))}\n`,
    );
  }
  return exitCodes.done;
}
