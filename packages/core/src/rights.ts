/** What may be done with a point: what its model allows, and by a handler only what is its own. */
import { HookError, type HookModel } from '@treblehook/types';
import { isInChain, type Chain } from './context.js';
import { append } from './frozen.js';
import type { Point } from './point.js';
import { host } from './registration.js';

export function assertModel(point: Point, model: HookModel, verb: 'fire' | 'register', owner?: string): void {
  if (point.entry.model === model) return;
  const use = `${verb}${point.entry.model[0]!.toUpperCase()}${point.entry.model.slice(1)}`;
  throw new HookError('TH_WRONG_MODEL', { hook: point.name, model: point.entry.model, use, owner });
}

/** Refuses a fire that the handler in hand may not make. */
export function assertMayFire(point: Point, id: string, owner: string, chain: Chain | undefined): void {
  const { firedBy, owner: ownedBy } = point.entry;
  const isHost = owner === host;
  if (isHost ? firedBy !== id : ownedBy !== owner) {
    throw new HookError('TH_NOT_YOURS', { hook: point.name, handlerId: id, owner });
  }
  if (isInChain(chain, point.name)) {
    const hooks: string[] = [point.name];
    for (let at: Chain | undefined = chain; at !== undefined; at = at.up) append(hooks, at.hook);
    throw new HookError('TH_REENTRANT', {
      hook: point.name,
      chain: hooks.toReversed().join(' > '),
      handlerId: id,
      owner,
    });
  }
}
