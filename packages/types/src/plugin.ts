/** Plugins: what an author writes, and what its setup is given. */
import type { AgentHooks } from './agent-hooks.js';
import { defineHooks, type Catalogue } from './define-hooks.js';
import { HookError } from './errors.js';
import type { HookPoint } from './hook-point.js';
import type { JsonObject } from './json.js';
import { didYouMean } from './nearest-name.js';
import { ownFields } from './own-fields.js';
import type { HookRegistrar } from './registrar.js';
import type { StandardSchema } from './standard-schema.js';
import type { Tool } from './tool.js';

/** A tool of a plugin: it is `plugin:<id>`'s, and cannot say otherwise. */
export type PluginTool<Args = any> = Omit<Tool<Args>, 'source'>;

export interface ToolRegistrar {
  /**
   * During setup. The tool is offered to personalities whose list has the plugin. Throws `TH_TOOL_INVALID` for what is no
   * tool, has a `source`, or a name that another tool has; behind setup `TH_DISPOSED`.
   */
  readonly register: (tool: PluginTool) => void;
}

/** Where a plugin says something to whoever runs the host. `fields` is plain JSON. */
export type PluginLog = Readonly<Record<LogLevel, (message: string, fields?: JsonObject) => void>>;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What setup is given. Each member throws `TH_DISPOSED` when the plugin is gone, was replaced, or its setup has failed. */
export interface PluginApi<Own extends Catalogue = {}, Config = undefined> {
  /** Registers and inspects, on the points of the loop and the plugin's own, as the plugin and nobody else. */
  readonly hooks: HookRegistrar<AgentHooks & Own>;
  readonly tools: ToolRegistrar;
  /** As the schema gives it; of a plugin without a schema `undefined`. Frozen where it is plain data. */
  readonly config: Config;
  readonly log: PluginLog;
  /** Called when the plugin is gone, the last one first. What it throws is told, and stops nobody. */
  readonly onDispose: (dispose: () => void | PromiseLike<void>) => void;
}

/** A plugin as it is written. */
export interface PluginSpec<Own extends Catalogue, Config> {
  /** `[a-z][a-z0-9-]*`: the owner of all it registers, the name that personalities list. */
  readonly id: string;
  /** Hook points of its own, which its handlers and tool bodies fire by `ctx.fire`. */
  readonly hooks?: Own;
  /** Any Standard Schema. The host refuses settings that it refuses, before setup. */
  readonly config?: StandardSchema<any, Config>;
  /** Registers everything, or throws and has registered nothing. It has a time budget, 10 s unless the host says otherwise. */
  readonly setup: (api: PluginApi<Own, Config>) => void | PromiseLike<void>;
}

/** A plugin as a host takes it. */
export interface Plugin {
  readonly id: string;
  /** Its own points, each with the plugin as its `owner`. */
  readonly hooks?: Catalogue;
  readonly config?: StandardSchema<any, any> | undefined;
  /** Of one made by `definePlugin` the api has its settings and its own points, too. */
  readonly setup: (api: PluginApi<{}, any>) => void | PromiseLike<void>;
}

/**
 * Makes a plugin; its settings and its own points are known to `setup` by the values given. Throws `TH_OPTION_INVALID` for
 * a key that no plugin has, `TH_POINT_INVALID` for a point that is none, or that somebody else fires; the host looks at
 * the rest.
 */
export function definePlugin<const Own extends Catalogue = {}, Config = undefined>(
  spec: PluginSpec<Own, Config>,
): Plugin {
  const { id, hooks, config, setup, ...unknown } = ownFields(spec);
  const [key] = Object.keys(unknown);
  if (key !== undefined) {
    const what = `'${key}' is no key of a plugin: ${didYouMean(key, keys) ?? `keys are ${keys.join(', ')}`}`;
    throw new HookError('TH_OPTION_INVALID', { what });
  }
  const made: Record<keyof Plugin, unknown> = ownFields({ id, hooks: ownedBy(id, hooks ?? {}), config, setup });
  return Object.freeze(made) as unknown as Plugin;
}

const keys: readonly string[] = ['id', 'hooks', 'config', 'setup'] satisfies readonly (keyof Plugin)[];

/** The points, each with its owner written in. */
function ownedBy(id: string, points: Catalogue): Catalogue {
  const owned: Record<string, HookPoint> = Object.create(null);
  for (const hook of Object.keys(points)) {
    const point = points[hook]!;
    if (point?.owner !== undefined && point.owner !== id) {
      const what = `its owner is '${point.owner}', and the plugin is '${id}': leave owner out`;
      throw new HookError('TH_POINT_INVALID', { hook, what });
    }
    owned[hook] = Object.freeze({ ...point, owner: id });
  }
  return defineHooks(owned);
}
