// Owns how npm and the pinned pnpm are called, from wherever a script was started. No dependencies: bootstrap uses it.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readManifest, root } from './workspace.mjs';

const windows = process.platform === 'win32';

/**
 * A program of the npm that called us, else the one on PATH.
 * @param {'npm' | 'npx'} name
 */
function program(name) {
  const beside = join(dirname(process.env['npm_execpath'] ?? ''), `${name}-cli.js`);
  return existsSync(beside) ? [process.execPath, beside] : [windows ? `${name}.cmd` : name];
}

/** @param {...string} args */
export function npm(...args) {
  return [...program('npm'), ...args];
}

/**
 * The pnpm that the root manifest names, fetched by npx when it is not at hand.
 * @param {...string} args
 */
export function pnpm(...args) {
  return [...program('npx'), '-y', readManifest(root).packageManager ?? 'pnpm', ...args];
}

/**
 * This process's environment without what an outer npm set for its own run (a workspace, a prefix): none of that may
 * steer an inner one.
 * @returns {NodeJS.ProcessEnv}
 */
export function ownEnvironment() {
  const scoped = /^npm_(package|lifecycle)_|^npm_config_(workspaces?|prefix|local_prefix|global|global_prefix)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !scoped.test(name)));
}
