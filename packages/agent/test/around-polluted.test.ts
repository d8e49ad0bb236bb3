/**
 * Any name that the sources of `around` use, put on `Object.prototype` in front of a wrapper's core and behind it: a denied
 * call stays denied, an ask stays unanswered, whatever is proposed, and the run has its ending.
 */
import { isHookError } from '@treblehook/types';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { lookedUpNames } from '../../../scripts/looked-up-names.mjs';
import type { Around, RunResult } from '../src/index.js';
import { calls, echo, kit, registryWithGuard } from './kit.js';

const files = [
  'around.ts',
  'run/wrapper.ts',
  'run/wrap-turn.ts',
  'calls/wrapped-call.ts',
  'calls/proposal.ts',
  'calls/call-step.ts',
  'calls/group.ts',
  'calls/tool-call.ts',
  'model/wrapped-llm-call.ts',
  'model/llm-change.ts',
];
const names = [...lookedUpNames(files.map((file) => new URL(`../src/${file}`, import.meta.url))), '0', '1', '2'];

beforeAll(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined));
afterAll(() => void vi.restoreAllMocks());

/** Runs two calls, one denied, one asked about; each wrapper puts the name there. */
async function attack(
  name: string,
  descriptor: PropertyDescriptor,
  where: 'front' | 'behind',
): Promise<string | undefined> {
  const denied = echo('danger');
  const asked = echo('asked');
  const registry = registryWithGuard();
  registry.registerClaiming('toolPolicy', ({ tool }) => (tool.name === 'danger' ? { deny: 'no' } : { ask: 'sure?' }), {
    id: 'policy',
  });
  // oxlint-disable-next-line no-extend-native -- that is the attack
  const put = (): void => void Object.defineProperty(Object.prototype, name, { configurable: true, ...descriptor });
  const around: Around = {
    async toolCall(_, core) {
      if (where === 'front') put();
      await core();
      if (where === 'behind') put();
      return { result: 'all is well' };
    },
    async llmCall(_, core) {
      await core();
    },
    async turn(_, core) {
      await core();
    },
  };
  const { agent } = kit([calls('danger', 'asked'), 'done'], { registry, tools: [denied.tool, asked.tool], around });
  let result: RunResult | undefined;
  let fault: unknown;
  try {
    result = await Promise.race([
      agent.run('go'),
      new Promise<undefined>((resolve) => {
        setTimeout(() => resolve(undefined), 500);
      }),
    ]);
  } catch (error) {
    fault = error;
  } finally {
    Reflect.deleteProperty(Object.prototype, name);
  }
  if (denied.ran.length > 0) return 'the denied tool ran';
  if (asked.ran.length > 0) return 'the tool that was asked about ran';
  if (result === undefined) return isHookError(fault) ? undefined : `the run rejected: ${String(fault)}`;
  if (result.toolCalls.some(({ outcome }) => outcome === 'ok')) return 'a call was made a success';
  return ['pending', 'done', 'failed'].includes(result.status) ? undefined : `it ended ${result.status}`;
}

test.each(['front', 'behind'] as const)(
  'no name in %s of the rest opens the door, and the run ends',
  async (where) => {
    const wrong: string[] = [];
    for (const name of names) {
      const values = [undefined, true, []];

      for (const value of values) {
        const what = await attack(name, { value, writable: true }, where);
        if (what !== undefined) wrong.push(`${name} = ${typeof value}: ${what}`);
      }
      const what = await attack(name, { get: () => undefined, set: () => {} }, where);
      if (what !== undefined) wrong.push(`${name} swallows: ${what}`);
    }
    expect(wrong).toEqual([]);
  },
  240_000,
);

test.each(['front', 'behind'] as const)('a then in %s of the rest makes no call a success', async (where) => {
  for (const value of [true, (resolve: (given: undefined) => void) => resolve(undefined)]) {
    expect(await attack('then', { value, writable: true }, where)).toBeUndefined();
  }
});
