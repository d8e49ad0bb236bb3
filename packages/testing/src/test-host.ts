/** A host for tests in one line: a scripted model, every plugin allowed, nothing tried again, every fault kept. */
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '@treblehook/agent/testing';
import { createHost, type Host, type HostOptions, type PluginUse } from '@treblehook/host';
import { HookError, type Plugin } from '@treblehook/types';
import { keepFaults, type KeptFault } from './faults.js';

export interface TestHostOptions extends Omit<HostOptions, 'model'> {
  /** What the model says, one step per call. Default: one answer, `done`. */
  readonly script?: readonly ScriptedStep[];
  /** A model in place of the script's. */
  readonly model?: ScriptedModel;
}

export interface TestHost extends Host {
  readonly model: ScriptedModel;
  /** Faults of handlers, in the order in which they were reported. None of them becomes a process warning. */
  readonly faults: readonly KeptFault[];
}

/**
 * `createHost` with these defaults, each of which the option of that name replaces: the personality `test`, whose list
 * has every plugin that is given; a policy without rules; `strict`, so that a plugin that fails ends the test; one attempt per model call. Rejects
 * as `createHost` does.
 */
export async function testHost(options: TestHostOptions = {}): Promise<TestHost> {
  const { script, model: given, ...rest } = options;
  if (script !== undefined && given !== undefined) {
    throw new HookError('TH_OPTION_INVALID', { what: "testHost takes 'script' or 'model', not both" });
  }
  const model = given ?? scriptedModel(script ?? ['done']);
  const host = await createHost({
    strict: true,
    retry: { attempts: 1 },
    personality: { id: 'test', plugins: idsOf(rest.plugins) },
    policy: { rules: [] },
    ...rest,
    model,
  });
  return Object.freeze({ ...host, model, faults: keepFaults(host.registry.events) });
}

/** Of what is no list of plugins there are none: `createHost` refuses it with the mend. */
const idsOf = (plugins: HostOptions['plugins']): string[] =>
  Array.isArray(plugins)
    ? plugins.flatMap((given: Plugin | PluginUse | undefined) => {
        const whole = Object(given) as Partial<Plugin & PluginUse>;
        const { id } = Object(whole.plugin ?? whole) as Partial<Plugin>;
        return typeof id === 'string' ? [id] : [];
      })
    : [];
