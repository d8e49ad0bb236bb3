/** The laws of a plugin that take its code: kept in a process of its own, which has nothing else to lose. */
import { writeFile } from 'node:fs/promises';
import { leftBehind } from '@treblehook/agent/testing';
import { createHost, readHostConfig, type Host, type HostConfig } from '@treblehook/host';
import { textOf } from '@treblehook/types';
import { check, type Check } from './package-checks.js';

/** What the process is told. */
export interface Inside {
  /** The folder of a config that names the plugin, and the file with the consent to it. */
  readonly folder: string;
  readonly trust: string;
  /** Where the checks are written, as JSON. */
  readonly out: string;
}

/** The word that the process is started with. */
export const insideWord = '--plugin-check-inside';
/** How long what ends by itself may take to end, ms. */
const settleMs = 500;

export async function inside(given: string): Promise<void> {
  const { folder, trust, out } = JSON.parse(given) as Inside;
  const checks = await checksIn(folder, trust).catch((error: unknown): readonly Check[] => [
    check('runs', 'a run with it ends', textOf(error)),
  ]);
  await writeFile(out, JSON.stringify(checks));
}

async function checksIn(folder: string, trust: string): Promise<readonly Check[]> {
  const read: HostConfig[] = [];
  // threads and ports are the loader's, and stay for the next one
  const atImport = (
    await leftBehind(async () => void read.push(await readHostConfig(folder, { trust })), settleMs)
  ).filter((line) => !/^\d+ (?:MessagePort|Worker|Pipe)/.test(line));
  const { options, report } = read[0]!;
  const { state, fault } = report.plugins[0]!;
  const loads = check('loads', 'it loads', state === 'trusted' ? undefined : (fault?.message ?? `it is ${state}`));
  if (!loads.ok) return [loads];
  const make = (): Promise<Host> => createHost({ ...options, model: 'offline', cwd: folder, onWarning: () => {} });
  const first = await make();
  const failed = first.failed[0];
  await first.close();
  const declares = check('declares', 'it registers what it declares', failed && textOf(failed.error));
  if (!declares.ok) return [loads, declares];
  const run: string[] = [];
  const atEnd = await leftBehind(async () => {
    const host = await make();
    run.push(await statusOf(host));
    await host.close();
  }, settleMs);
  const left = [...new Set([...atImport, ...atEnd])];
  return [
    loads,
    declares,
    check('runs', 'a run with it ends', run[0] === 'failed' ? 'a run of the offline model fails with it' : undefined),
    check(
      'leaves',
      'it leaves nothing behind when it is taken away',
      left.length === 0 ? undefined : `${left.join('; ')}: end it in api.onDispose`,
    ),
    check('beside', 'two of it do not disturb one another', await besideFault(make)),
  ];
}

async function statusOf(host: Host): Promise<string> {
  let status = 'failed';
  for await (const event of host.agent.session().stream('hello'))
    if (event.type === 'done') status = event.result.status;
  return status;
}

/** What both show of it, without what is other in each. */
const shown = (host: Host): string =>
  JSON.stringify([host.plugins, host.plan().map(({ name, plan }) => [name, plan]), host.agent.describe().tools]);

async function besideFault(make: () => Promise<Host>): Promise<string | undefined> {
  const alone = await make();
  const before = [shown(alone), await statusOf(alone)];
  const other = await make();
  try {
    if (other.failed[0] !== undefined) return `the second one fails: ${textOf(other.failed[0].error)}`;
    if (shown(other) !== before[0]) return 'the second one registers something else than the first';
    await alone.close();
    if (shown(other) !== before[0]) return 'what the second one registered changes when the first is taken away';
    const status = await statusOf(other);
    return status === before[1]
      ? undefined
      : `a run of the second is '${status}' when the first is taken away, and was '${before[1]}'`;
  } finally {
    await alone.close();
    await other.close();
  }
}
