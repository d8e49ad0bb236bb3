/** The laws of plugins, each by an id that an author can name. */
import { leftBehind } from '@treblehook/agent/testing';
import { agentHooks, definePlugin, type HookPoint, type HookRegistrar, type Plugin } from '@treblehook/types';
import { differences } from '../model-transcript/difference.js';
import { plain } from '../model-transcript/plain.js';
import { ownersOf, seen, type BenchHost, type PluginBench } from './bench.js';
import { endings } from './endings.js';

export type PluginLawId =
  | 'sets-up'
  | 'registers'
  | 'registers-in-setup'
  | 'runs'
  | 'silent-unlisted'
  | 'shares-nothing'
  | 'keeps-its-seat'
  | 'changes-nothing-given'
  | 'planted-names'
  | 'leaves-nothing';

export interface PluginLaw {
  readonly id: PluginLawId;
  readonly name: string;
  readonly run: (bench: PluginBench, settleMs: number) => Promise<void>;
}

const broken = (what: string): never => {
  throw new Error(what);
};

/** Throws what handlers did wrong, and what the host warned of. */
function assertFaultless({ host, warnings }: BenchHost, when: string): void {
  const [fault] = host.faults;
  if (fault !== undefined) broken(`${when}: ${fault.code} on ${fault.hook}: ${fault.message}`);
  // what it says in its log is no fault
  const warning = warnings.find(({ code }) => !['TH_PLUGIN_SILENT', 'TH_PLUGIN_SAID'].includes(code));
  if (warning !== undefined) broken(`${when}: ${warning.code}: ${warning.message}`);
}

const go = 'Say hi.';
const runTwice = async ({ host }: BenchHost) =>
  seen(host, [await host.agent.run(go), await host.agent.run('Once more.')]);

function assertAlike(found: unknown, expected: unknown, what: string): void {
  const lines = differences(plain(expected), plain(found), new Set());
  if (lines.length > 0) broken(`${what}:\n  ${lines.join('\n  ')}`);
}

/** A plugin that stands on each of the points, and says nothing there. */
const neighbour = (id: string, points: readonly string[], catalogue: Readonly<Record<string, HookPoint>>): Plugin =>
  definePlugin({
    id,
    setup({ hooks }) {
      // oxlint-disable-next-line typescript/no-explicit-any -- points of any catalogue
      const registrar = hooks as HookRegistrar<any>;
      for (const point of points) {
        const { model } = catalogue[point]!;
        if (model === 'void') registrar.registerVoid(point, () => {}, { id: 'quiet' });
        else if (model === 'modifying') registrar.registerModifying(point, () => undefined, { id: 'quiet' });
        else registrar.registerClaiming(point, () => undefined, { id: 'quiet' });
      }
    },
  });

const runLaws: readonly PluginLaw[] = endings.map(({ name, drive }) => ({
  id: 'runs',
  name: `has no fault in a run that ${name}`,
  run: (bench) =>
    drive(bench, (one, results) => {
      assertFaultless(one, `in a run that ${name}`);
      for (const { status, error } of results) {
        if (status === 'failed' && !name.startsWith('fails')) broken(`the run that ${name} failed: ${String(error)}`);
      }
    }),
}));

export const laws: readonly PluginLaw[] = [
  {
    id: 'sets-up',
    name: 'is set up in a host, and taken away, without a fault',
    async run(bench) {
      let last: BenchHost | undefined;
      await bench.with({}, (one) => Promise.resolve((last = one)));
      assertFaultless(last!, 'when its host was closed');
      const { points } = bench.registeredIn(last!.host);
      if (points.length > 0) broken(`behind the end of its host it stands on ${points.join(', ')}`);
    },
  },
  {
    id: 'registers',
    name: 'registers a handler or a tool, and all that it declares',
    run: (bench) =>
      bench.with({}, ({ host }) => {
        const { points, tools } = bench.registeredIn(host);
        if (points.length + tools.length === 0) {
          broken(
            'its setup registers no handler and no tool: what is it for? Give the laws settings with which it does',
          );
        }
        return Promise.resolve();
      }),
  },
  {
    id: 'registers-in-setup',
    name: 'stands on no further hook point behind its setup',
    run: (bench) =>
      bench.with({}, async (one) => {
        const { points: before } = bench.registeredIn(one.host);
        await runTwice(one);
        const late = bench.registeredIn(one.host).points.filter((point) => !before.includes(point));
        if (late.length > 0)
          broken(`it came to ${late.join(', ')} during a run: register in setup, so that a plan says it`);
      }),
  },
  ...runLaws,
  {
    id: 'silent-unlisted',
    name: 'does nothing in a run of a personality that does not list it',
    async run(bench) {
      const without = await bench.with({ plugins: [] }, runTwice);
      const unlisted = await bench.with({ isListed: false }, runTwice);
      assertAlike(unlisted, without, 'a run differs from one without the plugin');
    },
  },
  {
    id: 'shares-nothing',
    name: 'gives two hosts at once what it gives to one',
    async run(bench) {
      const alone = await bench.with({}, runTwice);
      const both = await Promise.all([bench.with({}, runTwice), bench.with({}, runTwice)]);
      for (const one of both)
        assertAlike(one, alone, 'beside another host its runs differ: keep what it knows in setup');
    },
  },
  {
    id: 'keeps-its-seat',
    name: 'keeps its seat when it is reloaded',
    async run(bench) {
      const found = await bench.with({}, ({ host }) => {
        const { catalogue } = host.registry;
        return Promise.resolve({ ...bench.registeredIn(host), catalogue });
      });
      const stands = (id: string): Plugin => neighbour(id, found.points, found.catalogue);
      await bench.with({ plugins: [stands('law-before'), bench.use, stands('law-after')] }, async (one) => {
        const orders = (): unknown =>
          one.host.registry.describe().hooks.map((point) => [point.name, ownersOf(point)] as const);
        const before = orders();
        await one.host.reload(bench.use);
        assertAlike(orders(), before, 'who stands where behind a reload has changed');
        await runTwice(one);
        assertFaultless(one, 'in a run behind a reload');
      });
    },
  },
  {
    id: 'changes-nothing-given',
    name: 'changes nothing of what it is given',
    async run(bench) {
      const { config } = bench.use;
      const before = plain(config ?? null);
      const bytes = new Uint8Array([0, 255, 7]);
      await bench.with({}, async (one) => {
        const content = [{ type: 'file', mediaType: 'image/png', data: bytes }] as const;
        const session = one.host.agent.session({ id: 'law', messages: [{ role: 'user', content }] });
        await session.run(go);
        assertFaultless(one, 'in a run with a file');
      });
      assertAlike([...bytes], [0, 255, 7], 'the bytes of a file of the history have changed');
      assertAlike(config ?? null, before, 'the settings that it was given have changed');
    },
  },
  {
    id: 'planted-names',
    name: 'does the same while names of the loop stand on Object.prototype',
    run: (bench) =>
      bench.with({}, async (one) => {
        const { host } = one;
        const run = async (id: string) => {
          const from = host.model.calls.length;
          const result = await host.agent.session(id).run(go);
          return seen({ ...host, model: { ...host.model, calls: host.model.calls.slice(from) } }, [result]);
        };
        const plainly = await run('__proto__');
        for (const name of plantedNames) {
          const planted = await whilePlanted(name, () => run(`law-${name}`));
          assertAlike(
            planted,
            plainly,
            `while Object.prototype has '${name}' a run differs: read own keys (ownFields)`,
          );
          assertFaultless(one, `while Object.prototype has '${name}'`);
        }
      }),
  },
  {
    id: 'leaves-nothing',
    name: 'leaves no timer, no listener and no handle behind its host',
    async run(bench, settleMs) {
      await bench.with({}, runTwice); // what is made once for the process is there behind this
      const left = await leftBehind(() => bench.with({}, runTwice).then(() => {}), settleMs);
      if (left.length > 0)
        broken(`behind the end of its host there is still ${left.join('; ')}: give its end to api.onDispose`);
    },
  },
];

/** Keys of answers, of payloads and of options that plugins read. */
const plantedNames: readonly string[] = [
  ...new Set(
    Object.values(agentHooks as Readonly<Record<string, HookPoint>>)
      .flatMap(({ keys }) => Object.keys(keys ?? {}))
      .concat('deny', 'ask', 'handled', 'purpose', 'isError', 'enabled', 'debug'),
  ),
];

async function whilePlanted<T>(name: string, work: () => Promise<T>): Promise<T> {
  const there = Object.getOwnPropertyDescriptor(Object.prototype, name);
  // oxlint-disable-next-line no-extend-native -- that is the attack
  Object.defineProperty(Object.prototype, name, { configurable: true, writable: true, value: 'planted' });
  try {
    return await work();
  } finally {
    if (there === undefined) Reflect.deleteProperty(Object.prototype, name);
    // oxlint-disable-next-line no-extend-native -- as it was
    else Object.defineProperty(Object.prototype, name, there);
  }
}
