// Owns the question of what an allowlist costs.
import { contender, isNothing } from '../contender.mjs';
import { passing, Tally } from '../handlers.mjs';
import { fireOf, makeRegistry, register } from '../ours.mjs';
import { payload } from '../points.mjs';

const plugins = ['acme', 'bench', 'cove', 'dale', 'echo'];

/** Ten sync observers, two of each of five plugins. */
function furnished() {
  const registry = makeRegistry();
  const tally = new Tally();
  for (const plugin of plugins) register(registry, 'observe', passing(2, 'sync', tally), plugin);
  registry.verify();
  return { registry, tally };
}

/** @param {import('@treblehook/types').PluginList} list */
const scoped = (list) => () => {
  const { registry, tally } = furnished();
  const fire = fireOf(registry.scoped({ plugins: list }), 'observe');
  return contender(() => fire(), tally, 10, isNothing);
};

/** An embedder that hands in its list with each fire. */
const handed = () => {
  const { registry, tally } = furnished();
  return contender(() => registry.fireVoid('observe', payload, plugins), tally, 10, isNothing);
};

export const cases = {
  'list-reused': { ours: scoped(plugins), "'all'": scoped('all') },
  'list-per-fire': { ours: handed, "'all'": scoped('all') },
};
