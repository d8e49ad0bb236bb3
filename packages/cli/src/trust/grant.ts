/** `treblehook trust`: what would run in a folder, and the consent to it. */
import { consentFor, grant, type Consent } from '@treblehook/host';
import { createColors } from '../colors.js';
import { confirm } from '../confirm.js';
import { toldOf } from '../ending.js';
import { exitCodes, jsonText, oneLine, wantsColor, type Io } from '../io.js';
import { redactor } from '../redact.js';
import { folderAt } from '../run-host.js';
import { itemLines, safe, toldItem, type ToldItem } from './item-text.js';
import { trustFile } from './trust-path.js';

export interface TrustFlags {
  readonly dir?: string | undefined;
  readonly personality?: string | undefined;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Ends with 4 when something is left without consent. Imports nothing but a config module that has it. */
export async function trustFolder(flags: TrustFlags, io: Io): Promise<number> {
  const trust = trustFile(io.env);
  const dir = await folderAt(flags.dir, io.cwd);
  const redact = redactor(io.env);
  const { bold } = createColors(wantsColor(io.stdout, io.env));
  const write = (line: string): void => {
    if (!flags.json) io.stdout.write(`${redact.text(line)}\n`);
  };
  const shown: ToldItem[] = [];
  let isGranted = false;
  let consent: Consent;
  for (;;) {
    consent = await consentFor(dir, {
      trust,
      ...(flags.personality !== undefined && { personalities: [flags.personality] }),
    });
    const fresh = consent.items.filter(
      ({ item }) =>
        !shown.some(
          (one) => one.item.digest === item.digest && one.item.settings === item.settings && one.item.id === item.id,
        ),
    );
    for (const asked of fresh) {
      const told = await toldItem(asked);
      shown.push(told);
      for (const line of itemLines(told, bold)) write(line);
    }
    const open = consent.items.filter(({ state }) => state !== 'trusted').map(({ item }) => item);
    if (open.length === 0 || !(await isGiven(flags, io, open.length))) break;
    await grant(trust, open, { by: byWhom(io.env) });
    isGranted = true;
    // which plugins a config module names is known now
    if (consent.isWhole) break;
  }
  const { items } = await consentFor(dir, {
    trust,
    ...(flags.personality !== undefined && { personalities: [flags.personality] }),
  });
  const left = items.filter(({ state }) => state !== 'trusted').length;
  tell(consent, { isGranted, left, count: items.length, trust }, flags, io, write);
  if (flags.json) {
    const document = {
      folder: consent.folder,
      trust,
      items: shown,
      faults: consent.faults.map(toldOf),
      unlisted: consent.unlisted,
      isWhole: consent.isWhole,
      granted: isGranted,
      left,
    };
    io.stdout.write(`${jsonText(redact.data(document), 2)}\n`);
  }
  return left === 0 ? exitCodes.done : exitCodes.waiting;
}

async function isGiven({ yes, json }: TrustFlags, io: Io, count: number): Promise<boolean> {
  if (yes) return true;
  if (json || io.terminal === undefined) return false;
  return confirm(
    io.terminal,
    io,
    count === 1 ? 'Shall it run in this folder?' : `Shall these ${count} run in this folder?`,
  );
}

interface Outcome {
  readonly isGranted: boolean;
  readonly left: number;
  readonly count: number;
  readonly trust: string;
}

function tell(
  { faults, unlisted, folder, isWhole }: Consent,
  { isGranted, left, count, trust }: Outcome,
  { yes }: TrustFlags,
  { stderr, terminal, env }: Io,
  write: (line: string) => void,
): void {
  const redact = redactor(env);
  const warn = (line: string): void => void stderr.write(`treblehook: ${oneLine(redact.fault(line))}\n`);
  for (const { message } of faults) warn(`warning: cannot be consented to: ${message}`);
  if (unlisted.length > 0) write(safe(`not imported, since no personality lists it: ${unlisted.join(', ')}`));
  if (count === 0) write(safe(`nothing in ${folder} would run that needs consent`));
  else if (left === 0) write(safe(isGranted ? `consent is in ${trust}` : 'all of this has consent'));
  else if (isGranted || yes) warn(`${left} of it has no consent: it changed meanwhile, ask again`);
  else if (terminal === undefined) warn('nothing was consented to: --yes does so for all that is shown');
  else warn('nothing was consented to');
  if (!isWhole && left > 0) write('which plugins the config names is known once it may run');
}

/** As the record calls whoever gave it. */
const byWhom = (env: Io['env']): string => env['USER'] || env['LOGNAME'] || env['USERNAME'] || 'somebody';
