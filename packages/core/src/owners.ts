/** Owners: who may be called what, in which order plugins stand, and when an owner's things die. */
import { closeClass } from './closed-class.js';
import { HookError, isHandlerId, isPluginId, reservedIds, type Catalogue } from '@treblehook/types';
import { shown } from './option.js';
import { host, type Home } from './registration.js';

const fullIdForm = /^[A-Za-z0-9][A-Za-z0-9._:-]*(\/[A-Za-z0-9][A-Za-z0-9._:-]*)?$/;

/** Whether a handler could have this full id: a bare one, or `<pluginId>/<id>`. */
export const isFullId = (id: unknown): id is string => typeof id === 'string' && fullIdForm.test(id);

/** Throws `TH_OPTION_INVALID`. */
export function formedPluginId(id: unknown): string {
  if (isPluginId(id)) return id;
  const what = `a plugin id is like 'acme-redact' (a-z, 0-9, -) and none of ${reservedIds.join(', ')}; not ${shown(id)}`;
  throw new HookError('TH_OPTION_INVALID', { what });
}

export class Owners {
  /** Place of each plugin: those the host named, then by first registration. Kept over unregister and register. */
  readonly #places = new Map<string, number>();
  readonly #homes = new Map<string, Home>();
  /** Live host ids, counted over all points. */
  readonly #hostIds = new Map<string, number>();
  /** Ids that the catalogue gives to host handlers. */
  readonly #houseIds: ReadonlySet<string>;

  constructor(catalogue: Catalogue, plugins: readonly string[]) {
    this.#houseIds = new Set(
      Object.values(catalogue).flatMap(({ firedBy, locks }) => [
        ...(firedBy ? [firedBy] : []),
        ...Object.keys(locks ?? {}),
      ]),
    );
    if (!Array.isArray(plugins))
      throw new HookError('TH_OPTION_INVALID', { what: "'plugins' must be a list of plugin ids" });
    for (const id of plugins) {
      this.pluginId(id);
      if (this.#places.has(id)) throw new HookError('TH_OPTION_INVALID', { what: `'plugins' names '${id}' twice` });
      this.#places.set(id, this.#places.size);
    }
  }

  readonly rank = (owner: string): number => (owner === host ? -1 : (this.#places.get(owner) ?? Infinity));

  /** The id itself. Throws `TH_OPTION_INVALID` for a form or a name that no plugin may have, `TH_ID_TAKEN` for one of the host's. */
  pluginId(id: unknown): string {
    const formed = formedPluginId(id);
    if (this.#hostIds.has(formed) || this.#houseIds.has(formed)) {
      const what = 'it names a handler of the host, and no plugin may be called so';
      throw new HookError('TH_ID_TAKEN', { id: formed, what });
    }
    return formed;
  }

  /** Throws `TH_OPTION_INVALID` for a form that no id may have, `TH_ID_TAKEN` when a host handler takes a plugin's name. */
  assertHandlerId(id: unknown, owner: string, hook: string): void {
    if (!isHandlerId(id)) {
      const what = `an id is like 'redact' (letters, digits, . _ : -), not ${shown(id)}`;
      throw new HookError('TH_OPTION_INVALID', { what, where: ` on '${hook}'`, hook, owner });
    }
    if (owner === host && id === host) {
      throw new HookError('TH_ID_TAKEN', {
        id,
        where: ` on '${hook}'`,
        hook,
        owner,
        what: 'it is the name of the owner; give the handler another',
      });
    }
    if (owner === host && (this.#places.has(id) || this.#homes.get(id)?.isNamed)) {
      throw new HookError('TH_ID_TAKEN', { id, where: ` on '${hook}'`, hook, owner, what: 'a plugin is called so' });
    }
  }

  /** The home of an owner, made when it has none. */
  home(owner: string): Home {
    let home = this.#homes.get(owner);
    if (home === undefined)
      this.#homes.set(owner, (home = { owner, gone: false, isNamed: false, edition: 0, replaced: [] }));
    return home;
  }

  /** Called with each registration that stands: gives a new plugin its place and counts the host's ids. */
  settle(owner: string, id: string): void {
    if (owner !== host) {
      if (!this.#places.has(owner)) this.#places.set(owner, this.#places.size);
    } else {
      this.#hostIds.set(id, (this.#hostIds.get(id) ?? 0) + 1);
    }
  }

  leave(owner: string, id: string): void {
    if (owner !== host) return;
    const left = (this.#hostIds.get(id) ?? 1) - 1;
    if (left === 0) this.#hostIds.delete(id);
    else this.#hostIds.set(id, left);
  }

  dispose(owner: string): void {
    const home = this.#homes.get(owner);
    if (home === undefined) return;
    home.gone = true;
    for (const replaced of home.replaced) {
      const registration = replaced.deref();
      if (registration !== undefined) registration.removed = true;
    }
    this.#homes.delete(owner);
  }
}
closeClass(Owners);
