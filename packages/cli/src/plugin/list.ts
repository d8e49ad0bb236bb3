/** `treblehook plugin list`: the plugins that the config of a folder names, and where each stands. */
import { readHostConfig, type NamedPlugin } from '@treblehook/host';
import { toldOf, type Told } from '../ending.js';
import { exitCodes, jsonText, oneLine, type Io } from '../io.js';
import { redactor } from '../redact.js';
import { folderAt } from '../run-host.js';
import { table } from '../table.js';
import { safe } from '../trust/item-text.js';
import { trustPath } from '../trust/trust-path.js';

export interface ListFlags {
  readonly dir?: string | undefined;
  readonly personality?: string | undefined;
  readonly json?: boolean | undefined;
}

/** One of them as `--json` prints it. */
export type ListedPlugin = Omit<NamedPlugin, 'fault'> & { readonly fault?: Told };

export const listed = ({ fault, ...plugin }: NamedPlugin): ListedPlugin => ({
  ...plugin,
  ...(fault && { fault: toldOf(fault) }),
});

/** Imports nothing that has no consent. Rejects with `TH_CONFIG_INVALID`, `TH_UNTRUSTED`, `TH_STALE`. */
export async function listPlugins(flags: ListFlags, io: Io): Promise<number> {
  const trust = trustPath(io.env);
  const dir = await folderAt(flags.dir, io.cwd);
  const { report } = await readHostConfig(dir, {
    ...(trust !== undefined && { trust }),
    ...(flags.personality !== undefined && { personalities: [flags.personality] }),
  });
  const redact = redactor(io.env);
  if (flags.json) {
    const { folder, file, plugins, notices } = report;
    const document = { folder, ...(file && { file }), plugins: plugins.map(listed), notices: notices.map(toldOf) };
    io.stdout.write(`${jsonText(redact.data(document), 2)}\n`);
    return exitCodes.done;
  }
  const columns = [
    { title: 'plugin' },
    { title: 'version' },
    { title: 'state' },
    { title: 'listed by' },
    { title: 'root' },
  ];
  const rows = report.plugins.map(({ named, id, version = '-', state, listedBy, root, kind }) =>
    [
      id ?? named,
      version,
      stateText(state),
      listedBy.join(', ') || 'nobody',
      root ?? (kind === 'inline' ? 'the config itself' : '-'),
    ].map(safe),
  );
  const none =
    report.file === undefined ? `there is no config file in ${report.folder}` : `${report.file} names no plugin`;
  const lines = rows.length === 0 ? [safe(none)] : table(columns, rows);
  io.stdout.write(`${redact.text(lines.join('\n'))}\n`);
  const faults = report.plugins.flatMap(({ fault }) => fault ?? []);
  for (const { message } of [...faults, ...report.notices]) {
    io.stderr.write(`treblehook: warning: ${oneLine(redact.fault(message))}\n`);
  }
  return exitCodes.done;
}

/** What an unlisted one is not. */
export const stateText = (state: NamedPlugin['state']): string =>
  state === 'unlisted' ? 'not imported: no personality lists it' : state;
