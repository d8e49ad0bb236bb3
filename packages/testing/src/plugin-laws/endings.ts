/** The ways in which a run can go and end, each as a thing to do with a host. */
import { memoryStore, type RunResult } from '@treblehook/agent';
import type { ScriptedStep } from '@treblehook/agent/testing';
import type { BenchHost, PluginBench } from './bench.js';

export interface Ending {
  readonly name: string;
  /** Drives it, and hands each host to `look` before it is closed. */
  readonly drive: (bench: PluginBench, look: (one: BenchHost, results: readonly RunResult[]) => void) => Promise<void>;
}

const go = 'Say hi.';

/** In one host. */
const inOne = (
  name: string,
  run: (one: BenchHost) => Promise<readonly RunResult[]>,
  script?: (bench: PluginBench) => readonly ScriptedStep[],
): Ending => ({
  name,
  drive: (bench, look) =>
    bench.with(script === undefined ? {} : { script: script(bench) }, async (one) => look(one, await run(one))),
});

const failingTool: ScriptedStep = { calls: [{ name: 'law_echo', args: { text: 'fail' } }] };

export const endings: readonly Ending[] = [
  inOne('is done', async ({ host: { agent } }) => [await agent.run(go), await agent.run('Once more.')]),
  inOne('is streamed', async ({ host: { agent } }) => {
    const stream = agent.stream(go);
    for (;;) {
      const next = await stream.next();
      if (next.done === true) return [next.value];
    }
  }),
  inOne(
    'has a tool that fails, and one that is not there',
    async ({ host: { agent } }) => [await agent.run(go)],
    ({ script }) => [failingTool, { calls: [{ name: 'no_such_tool' }] }, ...script],
  ),
  inOne('is vetoed', async ({ host: { agent, registry } }) => {
    registry.registerModifying('beforeInput', () => ({ reject: 'not today' }), { id: 'law-veto' });
    return [await agent.run(go)];
  }),
  inOne('has its calls denied', async ({ host: { agent, registry } }) => {
    registry.registerClaiming('toolPolicy', () => ({ deny: 'not today' }), { id: 'law-deny' });
    return [await agent.run(go)];
  }),
  inOne(
    'fails with its model',
    async ({ host: { agent } }) => [await agent.run(go)],
    () => [new Error('the model is down')],
  ),
  inOne(
    'fails in the middle of an answer',
    async ({ host: { agent } }) => [await agent.run(go)],
    () => [{ text: 'I was', error: new Error('the line is broken') }],
  ),
  {
    name: 'is aborted',
    drive(bench, look) {
      const controller = new AbortController();
      const step: ScriptedStep = () => {
        controller.abort(new Error('enough'));
        return 'too late';
      };
      return bench.with({ script: [step] }, async (one) =>
        look(one, [await one.host.agent.run(go, { signal: controller.signal })]),
      );
    },
  },
  {
    name: 'waits for an answer, and is gone on with by another host',
    async drive(bench, look) {
      const options = { store: memoryStore(), answerer: undefined } as never;
      const waits = await bench.with({ options }, async (one) => {
        one.host.registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'law-ask' });
        const result = await one.host.agent.session('law').run(go);
        look(one, [result]);
        return result;
      });
      if (waits.status !== 'pending') return;
      await bench.with({ options }, async (one) => {
        one.host.registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'law-ask' });
        let result = waits;
        for (let at = 0; at < 16 && result.status === 'pending'; at++) {
          const [request] = result.pending ?? [];
          result = await one.host.agent.resume('law', { id: request!.id, ok: true });
        }
        look(one, [result]);
      });
    },
  },
  inOne('is one of several at once', ({ host: { agent } }) =>
    Promise.all(['a', 'b', 'c'].map((id) => agent.session(id).run(go))),
  ),
];
