// Owns the questions of what a verdict costs. The call is one that nobody denies, so every rule about its tool is looked at.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { compilePolicy, readCommand } from '@treblehook/plugin-tool-policy';
import { line } from '../lines.mjs';

const cwd = fileURLToPath(new URL('../..', import.meta.url));

const reading = {
  tool: { source: 'host', name: 'read_file', paths: ['path'] },
  args: { path: 'kernel/ours.mjs', offset: 1, limit: 200 },
};
const running = {
  tool: { source: 'host', name: 'run_command', commands: ['command'], paths: ['cwd'] },
  args: { command: { shell: line }, cwd: '.' },
};

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
    switch (Math.floor(at / (count / 40)) % 5) {
      case 0:
        return { ...about, when: { '/path': { glob: `*/secret-${at}*` } } };
      case 1:
        return { ...about, paths: { within: `/srv/data-${at}` } };
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
  const denied = { tool: reading.tool, args: { path: '/srv/data-5/x' } };
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

export const cases = {
  'verdict-200': { ours: ours(200, reading), '200 regular expressions': expressions(reading) },
  'verdict-200-command': {
    ours: ours(200, running),
    '200 regular expressions': expressions(running),
    'reading the line': alone,
  },
  'verdict-10k': { ours: ours(10_000, reading), '200 rules': ours(200, reading) },
};
