/** `treblehook plugin check`: whether a package is a plugin that can be shipped. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { consentFor, grant, readManifest, readTrustFile, type ConsentItem } from '@treblehook/host';
import { isHookError } from '@treblehook/types';
import { confirm } from '../confirm.js';
import { createColors } from '../colors.js';
import { exitCodes, jsonText, oneLine, wantsColor, type Io } from '../io.js';
import { redactor } from '../redact.js';
import { safe } from '../trust/item-text.js';
import { trustPath } from '../trust/trust-path.js';
import { UsageError } from '../usage-error.js';
import { insideWord, type Inside } from './inside.js';
import { check, packageChecks, type Check } from './package-checks.js';
import { unpack } from './unpack.js';

export interface CheckFlags {
  readonly path: string;
  readonly settings?: string | undefined;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** How long the code of the plugin may take, ms. */
const longestMs = 120_000;
/** What a program needs of its environment to start. */
const needed = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot'];

/** Ends with 1 when a check fails, with 4 when its code was not run. */
export async function checkPackage(flags: CheckFlags, io: Io): Promise<number> {
  const settings = settingsIn(flags.settings);
  const temp = await realpath(await mkdtemp(join(tmpdir(), 'treblehook-check-')));
  try {
    const root = await rootOf(resolve(io.cwd, flags.path), flags.path, temp);
    const { item, checks: still } = await lookedAt(root, settings, temp);
    const isRun = item !== undefined && (await mayRun(item, flags, io));
    const checks = [...still, ...(isRun ? await runInside(item, temp, io.env) : [])];
    tell(checks, { isRun, id: item?.id }, flags, io);
    if (checks.some(({ ok }) => !ok)) return exitCodes.failed;
    return isRun ? exitCodes.done : exitCodes.waiting;
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

function settingsIn(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : (JSON.parse(json) as unknown);
  } catch (error) {
    throw new UsageError(
      `--settings is no JSON (${(error as Error).message}): write it in single quotes, '{"key":"value"}'`,
    );
  }
}

async function rootOf(path: string, shown: string, temp: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new UsageError(`there is no folder or tarball '${shown}': check the path`);
  if (found.isDirectory()) return realpath(path);
  if (/\.(?:tgz|tar\.gz)$/.test(path)) return unpack(path, temp);
  throw new UsageError(`'${shown}' is no folder and no tarball (.tgz): give that of the plugin's package`);
}

/** All that needs no code of it: `item` is what would run, when it can. */
async function lookedAt(
  root: string,
  settings: unknown,
  temp: string,
): Promise<{ readonly item?: ConsentItem; readonly checks: readonly Check[] }> {
  try {
    const manifest = await readManifest(root);
    const { id } = manifest;
    const plugins = [{ use: root, ...(settings !== undefined && { config: settings }) }];
    const config = { plugins, personalities: [{ id: 'checked', plugins: [id] }] };
    await writeFile(join(temp, 'treblehook.config.json'), JSON.stringify(config));
    const { items, faults } = await consentFor(temp, { trust: join(temp, 'trust.json') });
    if (items[0] === undefined) throw faults[0] ?? new Error('nothing of it would run');
    const { item } = items[0];
    return { item, checks: await packageChecks(manifest, item) };
  } catch (error) {
    if (!isHookError(error)) throw error;
    return { checks: [check('manifest', 'its manifest is right', error.message)] };
  }
}

/** Bytes that have consent anywhere have run here before. */
async function mayRun(item: ConsentItem, { yes, json }: CheckFlags, io: Io): Promise<boolean> {
  const redact = redactor(io.env);
  io.stderr.write(
    `treblehook: ${redact.text(safe(`the code of '${item.id}' in ${item.place} is run for this, with your rights`))}\n`,
  );
  if (yes) return true;
  const trust = trustPath(io.env);
  const records = trust === undefined ? [] : await readTrustFile(trust);
  if (records.some(({ kind, place, digest }) => kind === 'plugin' && place === item.place && digest === item.digest))
    return true;
  if (json || io.terminal === undefined) return false;
  return confirm(io.terminal, io, 'Shall it run?');
}

async function runInside(item: ConsentItem, temp: string, env: Io['env']): Promise<readonly Check[]> {
  const given: Inside = { folder: temp, trust: join(temp, 'trust.json'), out: join(temp, 'checks.json') };
  await grant(given.trust, [item], { by: 'plugin check' });
  // from the sources and from the bundle alike
  const bin = join(dirname(createRequire(import.meta.url).resolve('@treblehook/cli/package.json')), 'dist', 'bin.js');
  const child = spawn(process.execPath, [bin, insideWord, JSON.stringify(given)], {
    cwd: temp,
    env: Object.fromEntries(needed.map((name) => [name, env[name]])), // no key of anybody's
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)));
  const timer = setTimeout(() => child.kill('SIGKILL'), longestMs);
  const code = await new Promise<number | null>((done) => child.on('close', done));
  clearTimeout(timer);
  try {
    return JSON.parse(await readFile(given.out, 'utf8')) as readonly Check[];
  } catch {
    const how =
      code === null ? `it did not end within ${longestMs} ms, or was killed` : `its process ended with ${code}`;
    return [check('loads', 'it loads', `${how}: ${said.trim().split('\n').at(-1) ?? ''}`)];
  }
}

function tell(
  checks: readonly Check[],
  { isRun, id }: { readonly isRun: boolean; readonly id: string | undefined },
  { path, json }: CheckFlags,
  { stdout, stderr, env }: Io,
): void {
  const redact = redactor(env);
  const ok = isRun && checks.every((one) => one.ok);
  if (json) {
    stdout.write(
      `${jsonText(redact.data({ path, ...(id !== undefined && { plugin: id }), ok, ran: isRun, checks }), 2)}\n`,
    );
  } else {
    const { red, green } = createColors(wantsColor(stdout, env));
    for (const { ok: holds, name, fault, note } of checks) {
      const more = fault ?? note;
      const line = redact.text(safe(`${name}${more === undefined ? '' : `: ${more}`}`));
      stdout.write(`${holds ? green('ok  ') : red('FAIL')}  ${line}\n`);
    }
  }
  if (!isRun && id !== undefined)
    stderr.write(`treblehook: ${oneLine('its code was not run, and the checks of it are left out: --yes runs it')}\n`);
}
