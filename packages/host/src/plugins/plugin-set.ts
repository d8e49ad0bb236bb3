/** The plugins of one host, in their order: set up one after another, replaced one by one, taken away together. */
import {
  agentHooks,
  defineHooks,
  HookError,
  isHookError,
  textOf,
  type AgentHooks,
  type Catalogue,
  type HookRegistry,
  type Tool,
} from '@treblehook/types';
import type { PluginLogEntry } from './plugin-api.js';
import type { ReadUse } from './plugin-use.js';
import { setUp, type PluginTimes, type SetupWorld, type StagedPlugin } from './set-up.js';

/** A plugin that failed: nothing of it is registered. */
export interface FailedPlugin {
  readonly id: string;
  readonly error: unknown;
}

/** What a set of plugins needs of its host. */
export interface PluginSetWorld extends PluginTimes {
  readonly registry: HookRegistry<AgentHooks>;
  /** Names of the tools that are not the plugins'. */
  readonly toolNames: ReadonlySet<string>;
  readonly onLog: (entry: PluginLogEntry) => void;
  readonly onFault: (fault: HookError) => void;
}

/**
 * The points of the loop and those of the plugins, as one catalogue, and the plugins whose points cannot be in it: two of
 * them declare one name, or one takes a name of the loop's.
 */
export function catalogueOf(uses: readonly ReadUse[]): {
  readonly catalogue: Catalogue;
  readonly failed: readonly FailedPlugin[];
} {
  let catalogue: Catalogue = agentHooks;
  const failed: FailedPlugin[] = [];
  for (const { id, plugin } of uses) {
    try {
      if (Object.keys(plugin.hooks).length > 0) catalogue = defineHooks(catalogue, plugin.hooks as {});
    } catch (error) {
      failed.push(Object.freeze({ id, error }));
    }
  }
  return { catalogue, failed };
}

export class PluginSet {
  readonly #world: PluginSetWorld;
  /** Those that stand, in the order of the host. */
  readonly #standing = new Map<string, StagedPlugin>();
  readonly #failed: FailedPlugin[] = [];
  /** What is still being taken back. */
  readonly #leaving = new Set<Promise<void>>();
  /** Reloads come one after another. */
  #queue: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(world: PluginSetWorld) {
    this.#world = world;
  }

  get failed(): readonly FailedPlugin[] {
    return Object.freeze([...this.#failed]);
  }

  /** Ids of those that stand. */
  get ids(): readonly string[] {
    return [...this.#standing.keys()];
  }

  /** Tools of those that stand, in their order. */
  get tools(): readonly Tool[] {
    return [...this.#standing.values()].flatMap(({ tools }) => tools);
  }

  /** Sets them up in order. One that fails is rolled back whole, and does not stop the others. */
  async start(uses: readonly ReadUse[], failed: readonly FailedPlugin[]): Promise<void> {
    this.#failed.push(...failed);
    for (const use of uses) {
      if (failed.some(({ id }) => id === use.id)) continue;
      try {
        const staged = await setUp(use, this.#setupWorld(use.id));
        await this.#committed(staged);
        this.#standing.set(use.id, staged);
      } catch (error) {
        this.#failed.push(Object.freeze({ id: use.id, error }));
      }
    }
  }

  /**
   * Sets up another edition of a plugin beside the one that stands, then puts it in its place in one step: `adopt` is given
   * the tools of the whole set, and takes them or throws. The old one is taken back when `adopt`'s promise is settled, that
   * is when nobody runs it any more. If anything fails the old one stands, and the promise is rejected with what failed.
   */
  replace(use: ReadUse, adopt: (tools: readonly Tool[]) => Promise<void>): Promise<void> {
    const next = this.#queue.then(() => this.#replace(use, adopt));
    this.#queue = next.catch(() => {}); // whoever asked for it is told
    return next;
  }

  async #replace(use: ReadUse, adopt: (tools: readonly Tool[]) => Promise<void>): Promise<void> {
    this.#assertOpen();
    this.#assertSamePoints(use);
    const staged = await setUp(use, this.#setupWorld(use.id));
    const old = this.#standing.get(use.id);
    const before = this.tools;
    let isLeft: Promise<void>;
    try {
      this.#assertOpen();
      this.#standing.set(use.id, staged); // a Map keeps the place of a key that it has
      isLeft = adopt(this.tools);
      try {
        staged.commit();
      } catch (error) {
        void adopt(before);
        throw error;
      }
    } catch (error) {
      if (old === undefined) this.#standing.delete(use.id);
      else this.#standing.set(use.id, old);
      await staged.dispose();
      throw error;
    }
    const at = this.#failed.findIndex(({ id }) => id === use.id);
    if (at >= 0) this.#failed.splice(at, 1);
    if (old !== undefined) this.#leave(isLeft.then(() => old.dispose()));
  }

  /** Takes all of them away, the last one first. It never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue;
    for (const [id, plugin] of [...this.#standing].toReversed()) {
      this.#world.registry.unregisterPlugin(id);
      await plugin.dispose();
    }
    await Promise.all(this.#leaving);
  }

  #leave(end: Promise<void>): void {
    const left = end.finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }

  async #committed(staged: StagedPlugin): Promise<void> {
    try {
      staged.commit();
    } catch (error) {
      await staged.dispose();
      throw error;
    }
  }

  #setupWorld(id: string): SetupWorld {
    const ownerOfTool = (name: string): string | undefined => {
      if (this.#world.toolNames.has(name)) return 'the host';
      for (const [other, { tools }] of this.#standing) {
        if (other !== id && tools.some((tool) => tool.name === name)) return `the plugin '${other}'`;
      }
      return undefined;
    };
    return { ...this.#world, ownerOfTool };
  }

  #assertOpen(): void {
    if (!this.#isClosed) return;
    throw new HookError('TH_DISPOSED', { what: 'the host', mend: 'it was closed: make another one' });
  }

  /** The points of a registry are what they are. Throws `TH_PLUGIN_INVALID`. */
  #assertSamePoints({ id, plugin }: ReadUse): void {
    const { catalogue } = this.#world.registry as { readonly catalogue: Catalogue };
    const here = Object.keys(catalogue).filter((name) => catalogue[name]!.owner === id);
    const names = Object.keys(plugin.hooks);
    const isSame =
      here.length === names.length &&
      here.every(
        (name) => plugin.hooks[name] !== undefined && spelled(plugin.hooks[name]) === spelled(catalogue[name]!),
      );
    if (isSame) return;
    const what = 'its own hook points are others now: a reload keeps them, make the host anew';
    throw new HookError('TH_PLUGIN_INVALID', { plugin: id, what });
  }
}

/** An entry without its functions, which two editions of a module never share. */
const spelled = (point: object): string => JSON.stringify(point);

/** Of a failure the warning. */
export const failureOf = ({ id, error }: FailedPlugin): HookError =>
  new HookError('TH_PLUGIN_FAILED', {
    plugin: id,
    what: textOf(isHookError(error) ? error.message : error),
    cause: error,
  });
