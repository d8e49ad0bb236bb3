/** The guards are asked about a sealed call; a clear verdict becomes a clearance. */
import { Clearance } from './clearance.js';
import type { RunState } from './run-state.js';
import type { ToolCall } from './tool-call.js';

/**
 * Asks the guards once. Leaves the call with a clearance, or over. Whoever goes on looks again whether the guard plan is
 * still the one that answered: between an answer and its reading others may run.
 */
export async function askGuards(run: RunState, call: ToolCall): Promise<void> {
  const { tool, args, digest } = call.sealed!;
  const verdict = await run.caller.fireClaiming('toolPolicy', {
    origin: run.origin,
    ...call.origin,
    tool,
    args,
    digest,
    supplied: call.supplied !== undefined,
  });
  call.verdict = verdict;
  const { decision, reason = '', by, rule, asks } = verdict;
  if (decision === 'deny') {
    const where = rule === undefined ? '' : ` (rule '${rule}')`;
    return call.deny(`denied by '${by?.id ?? 'a guard'}'${where}: ${reason}`, reason, by);
  }
  if (decision === 'ask') {
    const questions = asks.map((one) => `'${one.by.id}' asks: ${one.ask}`).join('; ');
    return call.deny(
      `denied: ${questions}; nobody can be asked here (onAsk: 'deny')`,
      "an ask becomes a denial (onAsk: 'deny')",
      asks[0]!.by,
    );
  }
  call.clearance = Clearance.of(call.tool!, call.sealed!, verdict, run.config.unguarded !== undefined);
  if (call.clearance === undefined) call.deny('denied: no guard was asked', 'no guard was asked', undefined);
}
