/** Lists: who runs for one caller. Copied and interned by content, so that equal lists share plans. */
import { closeClass } from './closed-class.js';
import { HookError, type PluginList } from '@treblehook/types';
import { sorted } from './frozen.js';
import { shown } from './option.js';
import { host, type Registration } from './registration.js';

export interface Lists {
  readonly plugins: ReadonlySet<string> | 'all';
  /** Count on guard points only. */
  readonly guards: ReadonlySet<string>;
  /** Full ids left out, never on guard points. */
  readonly without: ReadonlySet<string>;
}

export function runs({ plugins, guards, without }: Lists, registration: Registration, isGuard: boolean): boolean {
  const { owner, id } = registration;
  if (isGuard) return owner === host || plugins === 'all' || plugins.has(owner) || guards.has(owner);
  return (owner === host || plugins === 'all' || plugins.has(owner)) && !without.has(id);
}

/** Keeps one `Lists` per content; an entry goes when nobody holds it any more. */
export class Interned {
  readonly #known = new Map<string, WeakRef<Lists>>();
  readonly #gone = new FinalizationRegistry<string>((key) => {
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key);
  });
  #last:
    | { readonly plugins: PluginList | undefined; readonly copy: readonly string[]; readonly lists: Lists }
    | undefined;

  of(plugins?: PluginList, guards?: readonly string[], without?: readonly string[]): Lists {
    const allowed = plugins === 'all' ? plugins : idsOf('plugins', plugins);
    const guarding = idsOf('guards', guards);
    const left = idsOf('without', without);
    const key = JSON.stringify([allowed, guarding, left]);
    const known = this.#known.get(key)?.deref();
    if (known !== undefined) return known;
    const lists: Lists = Object.freeze({
      plugins: allowed === 'all' ? allowed : new Set(allowed),
      guards: new Set(guarding),
      without: new Set(left),
    });
    this.#known.set(key, new WeakRef(lists));
    this.#gone.register(lists, key);
    return lists;
  }

  /** As `of(plugins)`; a list of the same content as the last one costs a comparison. */
  ofPlugins(plugins: PluginList | undefined): Lists {
    const last = this.#last;
    if (last !== undefined && same(last, plugins)) return last.lists;
    const lists = this.of(plugins);
    this.#last = {
      plugins: typeof plugins === 'string' ? plugins : undefined,
      copy: Array.isArray(plugins) ? [...plugins] : [],
      lists,
    };
    return lists;
  }
}
closeClass(Interned);

function same(
  last: { readonly plugins: PluginList | undefined; readonly copy: readonly string[] },
  plugins: PluginList | undefined,
): boolean {
  if (plugins === undefined || typeof plugins === 'string') return last.plugins === plugins && last.copy.length === 0;
  if (last.plugins !== undefined || !Array.isArray(plugins) || plugins.length !== last.copy.length) return false;
  for (let at = 0; at < plugins.length; at++) if (plugins[at] !== last.copy[at]) return false;
  return true;
}

function idsOf(option: string, ids: readonly string[] | undefined): readonly string[] {
  if (ids === undefined) return [];
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) {
    throw new HookError('TH_OPTION_INVALID', {
      what: `'${option}' must be a list of ids${option === 'plugins' ? " or 'all'" : ''}, not ${shown(ids)}`,
    });
  }
  return sorted([...new Set(ids)]);
}
