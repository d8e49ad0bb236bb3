// Owns the way from a fresh clone to a running command: install from the lock file, build, then run what was asked.
// It has no dependencies, because it runs before there are any.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, join, relative } from 'node:path';
import { built, bundleAll } from './bundle.mjs';
import { installed, tools, typescript } from './commands.mjs';
import { eatenFlags } from './eaten-flags.mjs';
import { LockError, withLock } from './lock.mjs';
import { ownEnvironment, pnpm } from './package-manager.mjs';
import { members, root } from './workspace.mjs';

const node = process.execPath;
const [command = '', ...rest] = process.argv.slice(2);
const stampFile = join(root, 'node_modules', '.treblehook-installed');

/**
 * What each command runs once everything is installed and built.
 * @type {Record<string, import('./commands.mjs').Command & { cwd?: string }>}
 */
const commands = {
  start:
    rest.length > 0
      ? {
          argv: [node, join(root, 'packages/cli/dist/bin.js')],
          cwd: callerFolder(),
          env: { TREBLEHOOK_CALLED_AS: 'npm start --' },
        }
      : typescript(join(root, 'examples/main-job/main.ts')),
  test: { argv: [node, installed('vitest/vitest.mjs'), 'run'] },
  build: { argv: pnpm('exec', 'turbo', 'run', 'build'), env: { TURBO_TELEMETRY_DISABLED: '1' } },
  check: { argv: [node, join(root, 'scripts', 'check.mjs')] },
  lint: tools.lint,
  format: tools.format,
  types: tools.types,
  docs: tools.docs,
  unused: tools.unused,
  'bench:kernel': typescript(join(root, 'bench/kernel.ts'), '--expose-gc'),
  'bench:loop': typescript(join(root, 'bench/loop.ts')),
  'bench:policy': typescript(join(root, 'bench/policy.ts')),
};

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  say(`Node ${process.versions.node} is too old; 20.19 or newer is needed`);
  process.exit(2);
}
const plan = Object.hasOwn(commands, command) ? commands[command] : undefined;
if (plan === undefined) {
  say(`there is no command '${command}'; there are ${Object.keys(commands).join(', ')}`);
  process.exit(2);
}
const eaten = command === 'start' ? eatenFlags(process.env, rest) : undefined;
if (eaten !== undefined) {
  say(eaten);
  process.exit(2);
}

const lock = join(root, '.cache', 'bootstrap.lock');
try {
  await withLock(
    lock,
    async () => {
      await install();
      if (command !== 'build') await build();
    },
    (holder) => say(`waiting for another run (process ${holder}, by ${relative(root, lock)}) to install and build`),
  );
} catch (error) {
  if (!(error instanceof LockError)) throw error;
  say(error.message);
  process.exit(1);
}
const { argv, cwd = root, env = {} } = plan;
const outcome = await run([...argv, ...rest], { cwd, env: { ...process.env, ...env } });
// From its cache turbo puts files back and takes none away. A part of the build may leave packages without modules.
if (command === 'build' && rest.length === 0 && outcome.code === 0) await bundleAll(built());
leaveLike(outcome);

/** The folder the person stood in: npm moves to the root and keeps the first folder in INIT_CWD. */
function callerFolder() {
  const byNpm = process.env['npm_package_json'] === join(root, 'package.json');
  return (byNpm && process.cwd() === root && process.env['INIT_CWD']) || process.cwd();
}

/** Installs from the lock file, unless the last install was of this very lock file and these manifests. */
async function install() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  const files = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((name) => join(root, name));
  for (const file of [...files, ...members().map(({ dir }) => join(dir, 'package.json'))]) {
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  }
  const stamp = hash.digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  say('installing from the lock file');
  const env = { ...ownEnvironment(), CI: 'true' };
  const outcome = await run(pnpm('install', '--frozen-lockfile', '--reporter=append-only'), { env, toStderr: true });
  if (outcome.code !== 0) {
    say('the install failed; after a change of dependencies run: npx -y pnpm@12.4.2 install');
    leaveLike(outcome, true);
  }
  writeFileSync(stampFile, stamp);
}

/** Compiles and bundles what changed; the compiler and the bundles keep the account of that themselves. */
async function build() {
  const packages = built();
  if (packages.some(({ dir }) => !existsSync(join(dir, 'dist')))) say('building');
  const outcome = await run([node, installed('typescript/bin/tsc'), '-b', 'tsconfig.build.json'], { toStderr: true });
  if (outcome.code !== 0) leaveLike(outcome, true);
  await bundleAll(packages);
}

/**
 * Runs a child to its end and hands signals on to it.
 * @param {string[]} argv
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, toStderr?: boolean }} [options]
 *   `toStderr` keeps our own standard output for the command that was asked for
 * @returns {Promise<{ code: number | null, signal: NodeJS.Signals | null }>}
 */
function run([file = '', ...args], { cwd = root, env = process.env, toStderr = false } = {}) {
  return new Promise((done) => {
    const shell = file.endsWith('.cmd');
    const child = spawn(file, args, { cwd, env, shell, stdio: toStderr ? ['ignore', 2, 2] : 'inherit' });
    /** @type {Record<string, () => void>} */
    const handlers = {};
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
      handlers[signal] = () => {
        // A terminal sends its interrupt to the whole group: the child has it already.
        if (!(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal);
      };
      process.on(signal, handlers[signal]);
    }
    // A killed npm ends the shell between us and does not tell us: a new parent means that nobody waits any more.
    const parent = process.ppid;
    const orphaned = process.env['npm_lifecycle_event'] !== undefined && setInterval(watch, 500);
    function watch() {
      if (process.ppid !== parent) child.kill('SIGTERM');
    }
    const off = () => {
      clearInterval(orphaned || undefined);
      for (const [signal, handler] of Object.entries(handlers)) process.off(signal, handler);
    };
    child.on('error', (error) => {
      off();
      say(`cannot run ${basename(file)}: ${error.message}`);
      done({ code: 127, signal: null });
    });
    child.on('exit', (code, signal) => {
      off();
      done({ code, signal });
    });
  });
}

/**
 * Ends this process the way the child ended.
 * @param {{ code: number | null, signal: NodeJS.Signals | null }} outcome
 * @param {boolean} [now]  leave at once, though more was to come
 */
function leaveLike({ code, signal }, now = false) {
  process.exitCode = code ?? (signal === null ? 1 : 128 + constants.signals[signal]);
  if (now) process.exit();
}

/** @param {string} line */
function say(line) {
  process.stderr.write(`treblehook: ${line}\n`);
}
