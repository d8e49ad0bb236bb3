/** The suite that a plugin runs against itself: as cases of any runner, or as a report. */
import type { Law } from '@treblehook/agent/testing';
import type { PluginUse } from '@treblehook/host';
import { HookError, textOf, type Plugin } from '@treblehook/types';
import { PluginBench, type PluginBenchOptions } from './bench.js';
import { laws, type PluginLawId } from './laws.js';

export interface PluginLawOptions extends PluginBenchOptions {
  /** Laws that are not for this plugin, by their ids, each with the reason. */
  readonly except?: Readonly<Partial<Record<PluginLawId, string>>>;
  /** How long what ends by itself may take to end behind its host, ms. Default 500. */
  readonly settleMs?: number;
}

/** A law of plugins, with the id that `except` names. */
export interface PluginLawCase extends Law {
  readonly id: PluginLawId;
}

export interface PluginReport {
  readonly plugin: string;
  /** Each law that was tried has held. */
  readonly ok: boolean;
  readonly checks: readonly PluginCheck[];
}

export interface PluginCheck {
  readonly id: PluginLawId;
  readonly name: string;
  readonly ok: boolean;
  /** What was found, in words. */
  readonly fault?: string;
  /** Why it was left out. */
  readonly except?: string;
}

/**
 * One case for each law that every plugin keeps, in real hosts with a scripted model. Run them one after another: they
 * look at what the process has, and one of them plants names on `Object.prototype`. Throws `TH_OPTION_INVALID`.
 */
export function pluginLaws(given: Plugin | PluginUse, options: PluginLawOptions = {}): readonly PluginLawCase[] {
  const { except = {}, settleMs = 500 } = options;
  for (const id of Object.keys(except)) {
    if (laws.some((law) => law.id === id)) continue;
    const ids = [...new Set(laws.map((law) => law.id))].join(', ');
    throw new HookError('TH_OPTION_INVALID', { what: `except: there is no law '${id}': there is ${ids}` });
  }
  const bench = new PluginBench(given, options);
  return Object.freeze(
    laws
      .filter(({ id }) => except[id] === undefined)
      .map(({ id, name, run }) => Object.freeze({ id, name, run: () => run(bench, settleMs) })),
  );
}

/** Tries every law, one after another, and tells what came of each. It rejects for wrong options alone. */
export async function checkPlugin(given: Plugin | PluginUse, options: PluginLawOptions = {}): Promise<PluginReport> {
  const checks: PluginCheck[] = [];
  const cases = pluginLaws(given, options);
  for (const { id, name } of laws) {
    const one = cases.find((law) => law.name === name);
    const except = options.except?.[id];
    if (one === undefined) checks.push(Object.freeze({ id, name, ok: true, ...(except !== undefined && { except }) }));
    else
      checks.push(
        await one.run().then(
          () => Object.freeze({ id, name, ok: true }),
          (error: unknown) => Object.freeze({ id, name, ok: false, fault: textOf(error) }),
        ),
      );
  }
  const plugin = String(Object('plugin' in given ? given.plugin : given).id);
  return Object.freeze({ plugin, ok: checks.every(({ ok }) => ok), checks: Object.freeze(checks) });
}
