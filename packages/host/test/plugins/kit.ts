/** Hosts with plugins, for the laws of plugins. */
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '@treblehook/agent/testing';
import { defineTool, type HookError, type Plugin, type PluginApi, type Tool } from '@treblehook/types';
import { z } from 'zod';
import { createHost, type Host, type HostOptions, type PluginUse } from '../../src/index.js';

export interface Kit {
  readonly host: Host;
  readonly model: ScriptedModel;
  readonly warnings: HookError[];
}

/** A host whose personality `p` lists each plugin that is given. */
export async function kit(
  plugins: readonly (Plugin | PluginUse)[],
  { script = ['done'], ...more }: Partial<HostOptions> & { readonly script?: readonly ScriptedStep[] } = {},
): Promise<Kit> {
  const warnings: HookError[] = [];
  const model = scriptedModel(script);
  const ids = plugins.map((one) => ('plugin' in one ? one.plugin.id : one.id));
  const host = await createHost({
    model,
    plugins,
    personality: { id: 'p', plugins: ids },
    policy: { rules: [], unlisted: 'silent' },
    retry: { attempts: 1 },
    onWarning: (warning) => void warnings.push(warning),
    ...more,
  });
  return { host, model, warnings };
}

export const plugin = (id: string, setup: (api: PluginApi) => unknown = () => {}): Plugin => ({
  id,
  setup: setup as Plugin['setup'],
});

/** A tool that says who ran. */
export const says = (name: string, text: string, more: Partial<Tool> = {}): Tool =>
  defineTool({ name, description: name, input: z.object({}), execute: () => text, ...more } as Tool);

export const call = (...names: string[]): ScriptedStep => ({ calls: names.map((name) => ({ name, args: {} })) });

export const idsAt = ({ host }: Kit, hook: 'agentDone' | 'beforeLLM' | 'toolEnd'): readonly string[] =>
  host.registry.plan(hook, 'all').map(({ id }) => id);
