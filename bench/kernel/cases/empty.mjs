// Owns the question of what a fire costs that nobody listens to.
import assert from 'node:assert/strict';
import { contender, isNothing } from '../contender.mjs';
import { passing, Tally } from '../handlers.mjs';
import { fireOf, firing, makeRegistry, register } from '../ours.mjs';
import { payload, points } from '../points.mjs';

/**
 * The engine without its facade, put together from the modules that the compiler made of `core`: its bundle exports no
 * such thing, and nobody but a bench needs it.
 */
async function engine() {
  const at = import.meta.resolve('@treblehook/core');
  /** @param {string} name */
  const part = (name) => import(new URL(`.compiled/${name}.js`, at).href);
  const [{ fire }, { strategies }, { Point }, { Interned }, { Reporter }, { Clock }] = await Promise.all(
    ['fire', 'disciplines', 'point', 'lists', 'report', 'clock'].map(part),
  );
  const point = new Point('observe', points.observe, strategies.observe, undefined, undefined, () => 0);
  const scope = { lists: new Interned().of(['bench']), signal: undefined, callModel: undefined };
  const parts = { clock: new Clock(), reporter: new Reporter(), fireFrom: assert.fail };
  const source = { engine: parts, scope, chain: undefined };
  return () => fire(source, point, payload);
}

const internal = async () => contender(await engine(), new Tally(), 0, isNothing);

const facade = () => {
  const fire = firing('observe', []);
  assert.ok(fire() instanceof Promise);
  return contender(() => fire(), new Tally(), 0, isNothing);
};

const tapable = async () => {
  const { AsyncParallelHook } = (await import('tapable')).default;
  const hook = new AsyncParallelHook(['payload']);
  return contender(() => hook.promise(payload), new Tally(), 0, isNothing);
};

const emittery = async () => {
  const { default: Emittery } = await import('emittery');
  const emitter = new Emittery();
  return contender(() => emitter.emit('observe', payload), new Tally(), 0, isNothing);
};

const hookable = async () => {
  const { createHooks } = await import('hookable');
  const hooks = createHooks();
  return contender(() => hooks.callHook('observe', payload), new Tally(), 0, isNothing);
};

/** A thousand handlers stand on the point, and the allowlist lets none of them run. */
const silenced = () => {
  const registry = makeRegistry();
  const tally = new Tally();
  register(registry, 'observe', passing(1_000, 'sync', tally), 'elsewhere');
  registry.verify();
  const fire = fireOf(registry.scoped({ plugins: ['bench'] }), 'observe');
  return contender(() => fire(), tally, 0, isNothing);
};

/** @param {() => object | Promise<object>} make */
const unawaited = (make) => async () => ({ ...(await make()), waits: false });

export const cases = {
  'empty-internal': { ours: internal },
  'empty-internal-bytes': { ours: internal },
  'empty-facade': { ours: unawaited(facade), tapable: unawaited(tapable) },
  'empty-facade-bytes': { ours: facade },
  'empty-awaited': { ours: facade, tapable, emittery, hookable },
  'list-silences-1000': { ours: unawaited(silenced), 'an empty point': unawaited(facade) },
};
