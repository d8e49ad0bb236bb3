/** The tenant `tool-policy`: the policy as a host guard of `toolPolicy`. */
import type { AgentHooks, HookRegistrar, SealedToolCall, Unregister, Verdict } from '@treblehook/types';
import { compilePolicy, type PolicyVerdict } from './decide.js';
import type { PolicyLayer } from './layer.js';
import type { PolicedCall } from './look.js';
import type { Policy } from './policy.js';
import { asAsked } from './rule-names.js';
import type { PolicyWorldOptions } from './world.js';

export interface InstallOptions extends Pick<PolicyWorldOptions, 'cwd'> {
  /** Told what a layer in `dry-run` would have said; called inside the guard, so what it throws is a denial. */
  readonly onDryRun?: (verdict: PolicyVerdict, call: SealedToolCall) => void;
}

/**
 * Registers the host guard `tool-policy`. The policy, or its layers with the operator's first, is read and copied before,
 * so a later change of the object changes nothing. Throws `TH_CONFIG_INVALID`, and what the registrar throws
 * (`TH_ID_TAKEN` when it is installed twice).
 */
export function install(
  registry: HookRegistrar<AgentHooks>,
  policy: Policy | readonly PolicyLayer[],
  { cwd, onDryRun }: InstallOptions = {},
): Unregister {
  const { decide, dryRun } = compilePolicy(policy, cwd === undefined ? {} : { cwd });
  const guard = (call: SealedToolCall): Verdict | undefined => {
    const policed = policedOf(call);
    if (dryRun !== undefined && onDryRun !== undefined) {
      const verdict = dryRun(policed);
      if (verdict !== undefined) onDryRun(verdict, call);
    }
    const verdict = decide(policed);
    if (verdict === undefined || 'deny' in verdict) return verdict;
    return { ask: verdict.ask, rule: asAsked(verdict) };
  };
  return registry.registerClaiming('toolPolicy', guard, { id: 'tool-policy' });
}

const policedOf = ({ tool, args, origin }: SealedToolCall): PolicedCall => ({
  tool,
  args,
  personality: origin.personality,
  above: Object.hasOwn(origin, 'above') ? origin.above! : [],
});
