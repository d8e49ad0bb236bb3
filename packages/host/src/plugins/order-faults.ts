/** Faults of the order once the plugins stand, and plugins with nothing to say. */
import { HookError, isHookError, type AgentHooks, type HookRegistry } from '@treblehook/types';
import type { FailedPlugin } from './plugin-set.js';

/**
 * Throws what no later registration is meant to mend: a cycle, and an order list that names a plugin which has registered
 * nothing on that point. Another name may be that of a host handler that is still to come; the first run looks again, and
 * after the failure of a plugin, which is a warning, it is the run that says so.
 */
export function assertOrder(
  registry: Pick<HookRegistry<AgentHooks>, 'verify'>,
  plugins: readonly string[],
  failed: readonly FailedPlugin[],
): void {
  const registered = new Set(plugins.filter((plugin) => !failed.some(({ id }) => id === plugin)));
  const isFinal = ({ code, details }: HookError): boolean => {
    const [name = ''] = String(details['id']).split('/');
    return code !== 'TH_ORDER_UNKNOWN' || registered.has(name);
  };
  try {
    registry.verify();
  } catch (error) {
    if (!isHookError(error)) throw error;
    const fault = (error.faults ?? [error]).find(isFinal);
    if (fault !== undefined) throw fault;
  }
}

/** Plugins that a personality does not list have nothing to say, which is seldom meant. */
export const silentPlugins = (
  plugins: readonly string[],
  failed: readonly FailedPlugin[],
  personality: string,
  listed: readonly string[],
): readonly HookError[] =>
  plugins
    .filter((id) => !listed.includes(id) && !failed.some((one) => one.id === id))
    .map((plugin) => new HookError('TH_PLUGIN_SILENT', { plugin, personality }));
