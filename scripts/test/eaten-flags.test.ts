// Owns the law that a flag which npm took for its own ends the command, since a run without its policy is not what was asked.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { main } from '@treblehook/cli';
import { describe, expect, it } from 'vitest';
import { eatenFlags } from '../eaten-flags.mjs';

const npm = { npm_config_user_agent: 'npm/11.0.0 node/v22.0.0 linux x64' };

/** What people set for npm itself. */
const npmsOwn = new Set(['yes', 'no', 'force', 'help', 'version']);

/** The flags that a command's help shows. */
async function flagsOf(words: readonly string[]): Promise<readonly string[]> {
  let help = '';
  const into = new Writable({
    write: (chunk, _encoding, done) => {
      help += String(chunk);
      done();
    },
  });
  const signal = new AbortController().signal;
  await main([...words, '--help'], { stdout: into, stderr: into, env: {}, cwd: process.cwd(), signal });
  const options = help.slice(help.indexOf('OPTIONS')).split('EXAMPLES')[0]!;
  // `--no-store` comes from npm as `store` that is false
  return [...options.matchAll(/^ +--(?:no-)?([a-z-]+)/gm)].map(([, flag]) => flag!);
}

describe('flags that npm took', () => {
  it('are named, with the line to write', () => {
    expect(eatenFlags({ ...npm, npm_config_policy: 'x', npm_config_dir: 'true' }, ['run', 'hi', 'docs'])).toBe(
      'npm took --dir, --policy for its own: write `--` before the flags, npm start -- run … --dir …',
    );
    expect(eatenFlags({ ...npm, npm_config_trace: 'true' }, [])).toContain('npm start -- run "…" --trace');
  });

  it('are none where npm sets only what is its own, or where another program runs the script', () => {
    expect(eatenFlags({ ...npm, npm_config_cache: '/x' }, ['run'])).toBeUndefined();
    expect(eatenFlags({ npm_config_user_agent: 'pnpm/12.0.0 npm/?', npm_config_dir: '/x' }, ['run'])).toBeUndefined();
  });

  it.each([
    'run',
    'plan',
    'audit',
    'session show',
    'session resume',
    'session export',
    'policy check',
    'policy explain',
    'policy test',
    'policy simulate',
  ])('may be each flag of %s', async (command) => {
    const flags = await flagsOf(command.split(' '));
    expect(flags.length).toBeGreaterThan(1);
    for (const flag of flags) {
      if (npmsOwn.has(flag)) continue;
      const variable = `npm_config_${flag.replaceAll('-', '_')}`;
      expect(eatenFlags({ ...npm, [variable]: 'x' }, ['run'])).toContain(`--${flag}`);
    }
  });

  it('end `npm start` with 2 before anything is installed or run', () => {
    const bootstrap = join(import.meta.dirname, '../bootstrap.mjs');
    const env = { ...process.env, ...npm, npm_config_policy: 'x' };
    const { status, stdout, stderr } = spawnSync(process.execPath, [bootstrap, 'start', 'run', 'hi'], {
      env,
      encoding: 'utf8',
      timeout: 10_000,
    });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('write `--` before the flags');
  });
});
