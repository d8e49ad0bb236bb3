/** `treblehook session export`: the log of a session, to keep or to read elsewhere. */
import { encodeRecord } from '@treblehook/agent/sqlite';
import { didYouMean, type StoredRecord } from '@treblehook/types';
import { exitCodes, fileFrom, jsonText, oneLine, type Io } from '../io.js';
import { redactor } from '../redact.js';
import { openKept, type StoreFlags } from '../store-file.js';
import { UsageError } from '../usage-error.js';
import { writeWhole } from '../write-whole.js';
import { sessionDocument } from './document.js';
import { findSession, rootOf, type Found } from './find.js';
import { grantsToldBy } from './granted.js';
import { markdownOf } from './markdown.js';

export interface ExportFlags extends StoreFlags {
  readonly session: string;
  readonly format?: string | undefined;
  readonly out?: string | undefined;
  readonly force?: boolean | undefined;
}

type Write = (found: Found, flags: ExportFlags, redact: <T>(value: T) => T, io: Io, root: Found) => string;

const formats: Readonly<Record<'jsonl' | 'json' | 'markdown', Write>> = {
  jsonl: ({ records }, _, redact) =>
    redact(records.map(plain))
      .map((record) => `${jsonText(record)}\n`)
      .join(''),
  json: ({ summary: { sessionId }, records }, _, redact) =>
    `${jsonText(redact({ sessionId, records: records.map(plain) }), 2)}\n`,
  markdown: (found, flags, redact, io, root) =>
    markdownOf(
      redact(
        sessionDocument(flags, found, Date.now(), io, root, {
          grants: found.view.grants,
          revoked: grantsToldBy(found.records).filter(({ revokedAt }) => revokedAt !== undefined),
        }),
      ),
    ),
};

export async function exportSession(flags: ExportFlags, io: Io): Promise<number> {
  const { format = 'jsonl', out, force = false } = flags;
  if (!Object.hasOwn(formats, format)) {
    const names = Object.keys(formats);
    throw new UsageError(`--format takes ${names.join(', ')}, not '${format}'${mend(didYouMean(format, names))}`);
  }
  if (force && out === undefined) throw new UsageError('--force goes with --out <file>');
  const kept = openKept(flags, io);
  try {
    const found = await findSession(kept, flags.session);
    const redact = redactor(io.env);
    const text = formats[format as keyof typeof formats](found, flags, redact.data, io, await rootOf(kept, found));
    if (out === undefined) io.stdout.write(text);
    else {
      await writeWhole(fileFrom(io, out), text, force);
      io.stderr.write(`treblehook: ${oneLine(redact.text(`${found.records.length} records are in ${out}`))}\n`);
    }
    return exitCodes.done;
  } finally {
    await kept?.store.close();
  }
}

/** A record as plain JSON: bytes and URLs as the file of the store holds them. */
const plain = ({ seq, at, record }: StoredRecord): unknown => ({ seq, at, record: JSON.parse(encodeRecord(record)) });

const mend = (text: string | undefined): string => (text === undefined ? '' : `: ${text}`);
