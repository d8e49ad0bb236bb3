// Owns how each tool of the repository is called: the npm commands and the checks both read it. It has no dependencies,
// because bootstrap reads it before there are any.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './workspace.mjs';

/**
 * @typedef {object} Command
 * @property {string[]} argv
 * @property {Record<string, string>} [env]  what it needs beside the environment of the caller
 */

/** @param {string} path a file of an installed package */
export const installed = (path) => join(root, 'node_modules', path);
/** @param {string} name a script beside this one */
const script = (name) => join(root, 'scripts', name);

/**
 * A TypeScript program run as it is. Packages come from their builds: the paths of `tsconfig.json` are for tests.
 * @param {string} file
 * @param {...string} flags  for node
 * @returns {Command}
 */
export const typescript = (file, ...flags) => ({
  argv: [process.execPath, '--import', pathToFileURL(installed('tsx/dist/loader.mjs')).href, ...flags, file],
  env: { TSX_TSCONFIG_PATH: join(root, 'tsconfig.base.json') },
});

/**
 * The tools that look at the repository. Where `check` is, the tool writes unless it is given these arguments.
 * @satisfies {Record<string, Command & { check?: string[] }>}
 */
export const tools = {
  lint: { argv: [process.execPath, installed('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'] },
  format: { argv: [process.execPath, installed('oxfmt/bin/oxfmt')], check: ['--check'] },
  types: { argv: [process.execPath, script('check-types.mjs')] },
  arrows: { argv: [process.execPath, script('check-arrows.mjs')] },
  docs: { ...typescript(script('reference.mts')), check: ['--check'] },
  unused: { argv: [process.execPath, installed('knip/bin/knip.js'), '--no-config-hints'] },
  packages: { argv: [process.execPath, script('check-packages.mjs')] },
};
