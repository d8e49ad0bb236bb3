// Owns the questions of what a verdict costs. The call is one that nobody denies, so every rule about its tool is looked at.
import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compilePolicy, readCommand } from '@treblehook/plugin-tool-policy';
import { line } from '../lines.mjs';

const cwd = fileURLToPath(new URL('../..', import.meta.url));

const searching = {
  tool: { source: 'host', name: 'search_web', urls: ['page'] },
  args: { query: 'budget of the year', page: 'https://example.org/search', limit: 20 },
};
const reading = {
  tool: { source: 'host', name: 'read_file', paths: ['path'] },
  args: { path: 'kernel/ours.mjs', offset: 1, limit: 200 },
};
const running = {
  tool: { source: 'host', name: 'run_command', commands: ['command'], paths: ['cwd'] },
  args: { command: { shell: line }, cwd: '.' },
};

const folders = ['/etc', '/usr', '/var', '/bin', '/lib', '/boot', '/proc', '/run'];

/**
 * 40 rules about every tool, in turn of each kind, and the others about tools of servers.
 * @param {number} count
 * @returns {import('@treblehook/plugin-tool-policy').Rule[]}
 */
function rulesOf(count) {
  const decision = /** @type {const} */ ('deny');
  return Array.from({ length: count }, (_, at) => {
    const about = {
      tools: at % (count / 40) === 0 ? '*' : `mcp:server-${at}/write_*`,
      decision,
      reason: `reason ${at}`,
    };
    const nth = Math.floor(at / (count / 40));
    switch (nth % 5) {
      case 0:
        return { ...about, when: { '/path': { glob: `*/secret-${at}*` } } };
      case 1:
        return { ...about, paths: { within: /** @type {string} */ (folders[Math.floor(nth / 5)]) } };
      case 2:
        return { ...about, paths: { path: `**/*.secret-${at}` } };
      case 3:
        return { ...about, commands: { program: [`rm-${at}`, 'mkfs.*'] } };
      default:
        return { ...about, hosts: { host: `*.host-${at}.example` } };
    }
  });
}

/** @param {number} count @param {import('@treblehook/plugin-tool-policy').PolicedCall} call */
const ours = (count, call) => () => {
  const { decide } = compilePolicy({ rules: rulesOf(count) }, { cwd });
  const denied = { tool: reading.tool, args: { path: '/etc/x' } };
  return {
    run: () => decide(call),
    check: () => {
      assert.equal(decide(call), undefined);
      if (count === 200) assert.match(JSON.stringify(decide(denied)), /reason 5"/);
    },
  };
};

/** What one writes by hand: expressions over the text of the arguments. @param {{ args: unknown }} call */
const expressions =
  ({ args }) =>
  () => {
    const all = Array.from({ length: 200 }, (_, at) => new RegExp(`(?:/secret-|/srv/data-|\\brm-|host-)${at}\\b`));
    const run = (/** @type {unknown} */ given) => {
      const text = JSON.stringify(given);
      return all.some((one) => one.test(text));
    };
    return {
      run: () => run(args),
      check: () => {
        assert.equal(run(args), false);
        assert.equal(run({ path: '/srv/data-5/x' }), true);
      },
    };
  };

const alone = () => ({ run: () => readCommand(line), check: () => assert.deepEqual(readCommand(line).unknown, []) });

const following = () => {
  const file = join(cwd, reading.args.path);
  return { run: () => realpathSync.native(file), check: () => assert.equal(realpathSync.native(file), file) };
};

export const cases = {
  'verdict-200': { ours: ours(200, searching), '200 regular expressions': expressions(searching) },
  'verdict-200-path': {
    ours: ours(200, reading),
    '200 regular expressions': expressions(reading),
    'following the path': following,
  },
  'verdict-200-command': {
    ours: ours(200, running),
    '200 regular expressions': expressions(running),
    'reading the line': alone,
  },
  'verdict-10k': { ours: ours(10_000, searching), '200 rules': ours(200, searching) },
};
