/** The setup of one plugin, whole or not at all. */
import { isPromised } from '@treblehook/core';
import { HookError, textOf, type AgentHooks, type Catalogue, type HookRegistry, type Tool } from '@treblehook/types';
import { Edition, type ApiWorld, type Dispose } from './plugin-api.js';
import { readPluginConfig } from './plugin-config.js';
import { wordFor, type ReadUse } from './plugin-use.js';

/** How long a plugin may take, ms. */
export interface PluginTimes {
  /** `setup`, as a whole. */
  readonly setupMs: number;
  /** Each function given to `onDispose`. */
  readonly disposeMs: number;
}

/** What the setup of a plugin needs of its host. */
export interface SetupWorld extends Omit<ApiWorld, 'registrar' | 'hasPoint' | 'isOwnPoint'>, PluginTimes {
  readonly registry: HookRegistry<AgentHooks>;
  /** Told what went wrong where nobody waits for it. */
  readonly onFault: (fault: HookError) => void;
}

/** A plugin whose setup has succeeded, and that nobody sees yet. */
export interface StagedPlugin {
  readonly id: string;
  readonly use: ReadUse;
  readonly tools: readonly Tool[];
  /** Puts its handlers in their place, in one step. Throws the fault of an order that they would break. */
  readonly commit: () => void;
  /** Takes back what setup has done. Idempotent; it never rejects. */
  readonly dispose: () => Promise<void>;
}

/**
 * Runs the setup of a plugin against a registry that does not see it. Rejects with what setup threw, with
 * `TH_PLUGIN_SETUP_TIMEOUT`, `TH_PLUGIN_INVALID` for what it returned, `TH_PLUGIN_UNDECLARED`, `TH_CONFIG_INVALID`: all
 * that it did is taken back then, and its api is dead.
 */
export async function setUp(use: ReadUse, world: SetupWorld): Promise<StagedPlugin> {
  const { id, plugin } = use;
  const { registry, setupMs } = world;
  const config = await configWithin(use, setupMs);
  const staged = registry.stage(id);
  const hasPoint = (name: string): boolean => Object.hasOwn(registry.catalogue, name);
  const isOwnPoint = (name: string): boolean => hasPoint(name) && (registry.catalogue as Catalogue)[name]!.owner === id;
  const edition = new Edition(use, config, { ...world, registrar: staged.registrar, hasPoint, isOwnPoint });
  let isCommitted = false;
  const dispose = async (): Promise<void> => {
    edition.kill();
    if (!isCommitted) staged.discard();
    for (const one of edition.takeDisposers()) await disposed(id, one, world);
  };
  try {
    const answer = await withinSetup(id, setupMs, () => plugin.setup(edition.api), world);
    if (answer !== undefined) {
      const what = `its setup gave ${wordFor(answer)}: it returns nothing; what is to be done at the end goes to api.onDispose`;
      throw new HookError('TH_PLUGIN_INVALID', { plugin: id, what });
    }
    edition.assertDeclared();
  } catch (error) {
    await dispose();
    throw error;
  }
  edition.settle();
  const commit = (): void => {
    staged.commit();
    isCommitted = true;
  };
  return Object.freeze({ id, use, tools: Object.freeze([...edition.tools]), commit, dispose });
}

/** The settings, unless the schema takes longer than the setup may: a schema may be asynchronous, and hang. */
async function configWithin(use: ReadUse, ms: number): Promise<unknown> {
  const end = await firstOf(readPluginConfig(use), ms);
  if (!end.isOver) return end.value;
  end.late.catch(() => {}); // what a schema says behind its time is nobody's
  throw new HookError('TH_PLUGIN_SETUP_TIMEOUT', { plugin: use.id, ms });
}

/** What setup answers; a setup over its budget goes on by itself, with an api that is dead. */
async function withinSetup(id: string, ms: number, setup: () => unknown, { onFault }: SetupWorld): Promise<unknown> {
  const answer = setup();
  if (!isPromised(answer)) return answer;
  const end = await firstOf(Promise.resolve(answer), ms);
  if (!end.isOver) return end.value;
  end.late.catch((error: unknown) => {
    const what = `its setup failed behind its budget: ${textOf(error)}`;
    onFault(new HookError('TH_PLUGIN_FAULT', { plugin: id, what, cause: error }));
  });
  throw new HookError('TH_PLUGIN_SETUP_TIMEOUT', { plugin: id, ms });
}

async function disposed(id: string, dispose: Dispose, { disposeMs, onFault }: SetupWorld): Promise<void> {
  const fault = (what: string, cause?: unknown): void =>
    onFault(new HookError('TH_PLUGIN_FAULT', { plugin: id, what, ...(cause !== undefined && { cause }) }));
  try {
    const answer = dispose();
    if (!isPromised(answer)) return;
    const end = await firstOf(Promise.resolve(answer), disposeMs);
    if (!end.isOver) return;
    fault(`a function of its onDispose did not end within ${disposeMs} ms`);
    end.late.catch((error: unknown) => fault(`a function of its onDispose failed late: ${textOf(error)}`, error));
  } catch (error) {
    fault(`a function of its onDispose failed: ${textOf(error)}`, error);
  }
}

type End<T> = { readonly isOver: false; readonly value: T } | { readonly isOver: true; readonly late: Promise<T> };

/** What comes first: the promise, which may reject, or its time. */
async function firstOf<T>(promise: Promise<T>, ms: number): Promise<End<T>> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<End<T>>((resolve) => {
    timer = setTimeout(() => resolve({ isOver: true, late: promise }), ms);
  });
  try {
    return await Promise.race([promise.then((value): End<T> => ({ isOver: false, value })), over]);
  } finally {
    clearTimeout(timer);
  }
}
