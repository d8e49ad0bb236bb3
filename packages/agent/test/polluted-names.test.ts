/**
 * Any name that the sources use, put on `Object.prototype` while an agent works: a denied call stays denied, an ask stays
 * unanswered, and the run has its ending.
 */
import { isHookError } from '@treblehook/types';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { lookedUpNames } from '../../../scripts/looked-up-names.mjs';
import type { RunResult } from '../src/index.js';
import { calls, echo, kit, registryWithGuard } from './kit.js';

const sources = ['../src/', '../../core/src/', '../../types/src/'].map((folder) => new URL(folder, import.meta.url));
const names = [...lookedUpNames(sources, ['offline', 'testing', 'sqlite']), '0', '1', '2', '3'];

beforeAll(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined));
afterAll(() => void vi.restoreAllMocks());

/** Runs two calls, one denied, one asked about, while the name stands there. */
async function attack(name: string, descriptor: PropertyDescriptor): Promise<string | undefined> {
  const denied = echo('danger');
  const asked = echo('asked');
  const registry = registryWithGuard();
  for (const type of ['handlerFailed', 'handlerTimedOut', 'amendmentRefused'] as const)
    registry.events.on(type, () => {});
  registry.registerClaiming('toolPolicy', ({ tool }) => (tool.name === 'danger' ? { deny: 'no' } : { ask: 'sure?' }), {
    id: 'policy',
  });
  const plugin = registry.forPlugin('acme');
  // oxlint-disable-next-line no-extend-native -- that is the attack
  const put = (): void => void Object.defineProperty(Object.prototype, name, { configurable: true, ...descriptor });
  plugin.registerModifying('beforeTool', () => put());
  const { agent } = kit([calls('danger', 'asked'), 'done'], {
    registry,
    tools: [denied.tool, asked.tool],
    personality: { id: 'p', plugins: ['acme'] },
  });
  let result: RunResult | undefined;
  let fault: unknown;
  try {
    result = await agent.run('go');
  } catch (error) {
    fault = error;
  } finally {
    Reflect.deleteProperty(Object.prototype, name);
  }
  if (denied.ran.length > 0) return 'the denied tool ran';
  if (asked.ran.length > 0) return 'the tool that was asked about ran';
  if (result === undefined) return isHookError(fault) ? undefined : `the run rejected: ${String(fault)}`;
  return ['pending', 'done', 'failed'].includes(result.status) ? undefined : `it ended ${result.status}`;
}

test('no name opens the door, and the run ends', async () => {
  const wrong: string[] = [];
  const values = [undefined, true, []];
  const from = Math.floor(Math.random() * values.length);
  for (const [at, name] of names.entries()) {
    // each name has one of them, another one in another run, and all where somebody asks for it: TH_ALL=1
    for (const value of process.env['TH_ALL'] === undefined ? [values[(from + at) % values.length]] : values) {
      const what = await attack(name, { value, writable: true });
      if (what !== undefined) wrong.push(`${name} = ${JSON.stringify(value)}: ${what}`);
    }
    const what = await attack(name, { get: () => undefined, set: () => {} });
    if (what !== undefined) wrong.push(`${name} swallows: ${what}`);
  }
  expect(wrong).toEqual([]);
}, 240_000);
