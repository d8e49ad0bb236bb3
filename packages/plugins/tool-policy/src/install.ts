/** The tenant `tool-policy`: the policy as a host guard of `toolPolicy`. */
import type { AgentHooks, HookRegistrar, Unregister } from '@treblehook/types';
import { compilePolicy } from './decide.js';
import type { Policy } from './policy.js';

/**
 * Registers the host guard `tool-policy`. The policy is read and copied first, so a later change of the object changes
 * nothing. Throws `TH_CONFIG_INVALID`, and what the registrar throws (`TH_ID_TAKEN` when it is installed twice).
 */
export function install(registry: HookRegistrar<AgentHooks>, policy: Policy): Unregister {
  const decide = compilePolicy(policy);
  return registry.registerClaiming('toolPolicy', (call) => decide(call), { id: 'tool-policy' });
}
