// Owns the coming of the peers: a folder with a lock file of its own, installed when the bench first wants it.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownEnvironment } from '../../scripts/package-manager.mjs';
import type { Room } from '../measuring/questions.js';
import { peerOf } from './questions.js';

const folder = fileURLToPath(new URL('../peers/', import.meta.url));
const stampFile = join(folder, 'node_modules', '.treblehook-installed');

/** Some are made for newer versions of node than ours; scripts of strangers are not run. */
const argv = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'];

export interface Prepared {
  readonly room: Room;
  readonly without?: string;
}

/** The room as it is with the peers that are there; they are installed unless nobody asks for one. */
export async function withPeers(
  room: Room,
  install: () => Promise<string | undefined> = installPeers,
): Promise<Prepared> {
  const isAsked = room.questions.some(({ compares }) => compares.some(({ against }) => isPeer(against)));
  const fault = isAsked ? await install() : undefined;
  if (fault === undefined) return { room };
  return { room: withoutPeers(room), without: `without peers: ${fault}` };
}

const isPeer = (against: string | undefined): boolean => against !== undefined && peerOf(against) !== undefined;

/** What is left to ask where no peer is: a question that compares with peers alone is left out. */
export function withoutPeers({ name, questions }: Room): Room {
  const left = questions.map((one) => ({ ...one, compares: one.compares.filter(({ against }) => !isPeer(against)) }));
  return { name, questions: left.filter(({ compares }) => compares.length > 0) };
}

/** Installs from the lock file unless the last install was of this very one; says why it failed, if it did. */
async function installPeers(): Promise<string | undefined> {
  const hash = createHash('sha256');
  for (const name of ['package.json', 'package-lock.json']) hash.update(readFileSync(join(folder, name)));
  const stamp = hash.digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return undefined;
  say('installing the peers into bench/peers, once; that takes up to a minute');
  const fault = await npm();
  if (fault === undefined) {
    writeFileSync(stampFile, stamp);
    return undefined;
  }
  say(`the peers cannot be installed (${fault}): the bench goes on without them`);
  return fault;
}

function npm(): Promise<string | undefined> {
  const own = process.env['npm_execpath'];
  const [file = '', ...before] = own?.endsWith('npm-cli.js')
    ? [process.execPath, own]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
  return new Promise((resolve) => {
    const child = spawn(file, [...before, ...argv], {
      cwd: folder,
      env: ownEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
      shell: file.endsWith('.cmd'),
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.on('error', ({ message }) => resolve(message));
    child.on('close', (code) => {
      const line = said.split('\n').find((one) => one.trim() !== '');
      resolve(code === 0 ? undefined : (line ?? `npm ended with ${code}`).replace(/^npm (error|ERR!) */, ''));
    });
  });
}

const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);
