/** From a module in hand to a plugin that a host takes, or to one that says why it is none. */
import { isPromised } from '@treblehook/core';
import { HookError, isHookError, textOf } from '@treblehook/types';
import { readPlugin, wordFor, type PluginUse, type ReadPlugin } from '../plugins/plugin-use.js';
import { importSnapshot } from '../trust/import-snapshot.js';
import type { Snapshot } from '../trust/snapshot.js';
import type { NamedUse } from './config-keys.js';
import type { FoundPlugin } from './find-package.js';

/**
 * Imports the module of a plugin from the bytes that were digested. Rejects with `TH_PLUGIN_INVALID`, which names the file,
 * for a module that throws, hangs (`ms`), exports something else by default, or is another plugin than the manifest says,
 * and with `TH_PLUGIN_UNDECLARED` for hook points that the manifest does not have.
 */
export async function loadPlugin(
  found: FoundPlugin,
  { config, seat, locate }: NamedUse,
  snapshot: Snapshot,
  ms: number,
): Promise<PluginUse> {
  const { manifest } = found;
  const plugin = await importPlugin(found, snapshot, ms);
  if (manifest !== undefined) assertPoints(found, plugin, manifest.points);
  return Object.freeze({
    plugin,
    locate,
    seat,
    ...(config !== undefined && { config }),
    ...(manifest && { declared: { hooks: manifest.hooks, tools: manifest.tools } }),
  });
}

/** In the place of one that was not loaded: its setup throws the reason, and so it is among the failed of the host. */
export const standIn = (id: string, seat: boolean, fault: HookError): PluginUse =>
  Object.freeze({
    plugin: Object.freeze({
      id,
      setup: () => {
        throw fault;
      },
    }),
    seat,
  });

async function importPlugin({ id, file }: FoundPlugin, snapshot: Snapshot, ms: number): Promise<ReadPlugin> {
  const refuse = (what: string, cause?: unknown): never => {
    throw new HookError('TH_PLUGIN_INVALID', {
      plugin: id,
      what: `${file}: ${what}`,
      ...(cause !== undefined && { cause }),
    });
  };
  const namespace = await importSnapshot(snapshot, ms).catch((error: unknown) =>
    refuse(isHookError(error) ? error.message : `its import failed: ${textOf(error)}`, error),
  );
  const given = defaultOf(namespace);
  if (isPromised(given)) return refuse('it exports a promise by default: export default await …');
  if (typeof given !== 'object' || given === null) {
    return refuse(`it exports ${wordFor(given)} by default, and no plugin: export default definePlugin({ … })`);
  }
  let plugin: ReadPlugin;
  try {
    plugin = readPlugin(given, 'its default export');
  } catch (error) {
    return refuse((error as Error).message, error);
  }
  if (plugin.id === id) return plugin;
  return refuse(`its module calls it '${plugin.id}': call both alike, or give the id of a module alone, { use, id }`);
}

/** The default export of a namespace; of CommonJS that was compiled from a module the one that was meant. */
export function defaultOf({ default: given }: Readonly<Record<string, unknown>>): unknown {
  const isCompiled = typeof given === 'object' && given !== null && Object.hasOwn(given, '__esModule');
  return isCompiled ? (given as { readonly default?: unknown }).default : given;
}

function assertPoints({ id }: FoundPlugin, { hooks }: ReadPlugin, declared: readonly string[]): void {
  const own = Object.keys(hooks);
  const hidden = own.filter((name) => !declared.includes(name));
  const absent = declared.filter((name) => !own.includes(name));
  if (hidden.length + absent.length === 0) return;
  const what =
    hidden.length > 0
      ? `it has the hook point ${hidden.join(', ')}, which its manifest does not declare: add it to treblehook.points`
      : `its manifest declares the hook point ${absent.join(', ')}, which it does not have: take it out of treblehook.points`;
  throw new HookError('TH_PLUGIN_UNDECLARED', { plugin: id, what });
}
