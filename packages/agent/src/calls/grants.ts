/** Grants of a session: asks that an answer has settled beforehand. They settle asks, never denials. */
import { randomBytes } from 'node:crypto';
import { append, frozen } from '@treblehook/core';
import { ownFields, type Ask, type Grant, type JsonObject, type JsonValue } from '@treblehook/types';
import type { RunState } from '../run/run-state.js';
import type { Sealed } from '../door/seal.js';
import type { ToolCall } from './tool-call.js';

export type ShownAsk = { readonly guard: string; readonly rule?: string; readonly question: string };

/** What a guard asks, as it is shown and logged: a rule that it has not named is on no prototype either. */
export function shownAsk(ask: Ask<unknown>): ShownAsk {
  const { by, rule, ask: question } = ownFields(ask);
  return ownFields({ guard: by.id, ...(rule === undefined ? {} : { rule }), question });
}

/**
 * `remember: { for: 'session', args?: 'any', until? }` in an answer keeps its asks granted: for the same arguments, or with
 * `args: 'any'` for every call of that tool; up to `until` (ms since the epoch).
 */
export async function rememberGrants(
  run: RunState,
  call: ToolCall,
  request: string,
  asks: readonly ShownAsk[],
  remember: JsonValue | undefined,
): Promise<void> {
  if (run.grants.hasAnswered(request)) {
    // before the run was left open
    for (const ask of asks) {
      const grant = rememberedOf(run, request, ask);
      if (grant !== undefined) call.restsOn(grant.id);
    }
    return;
  }
  if (typeof remember !== 'object' || remember === null || Array.isArray(remember)) return;
  const { for: scope, args, until } = ownFields(remember as JsonObject);
  if (scope !== 'session') return;
  if (typeof until === 'number' && until <= run.config.clock.date()) return; // over before it began
  const { tool, digest } = call.sealed!;
  const grants: Grant[] = [];
  for (const { guard, rule, question } of asks) {
    if (isNameless(guard)) continue; // it is another one next time
    const grant: Grant = frozen(
      ownFields({
        id: `grant_${randomBytes(16).toString('base64url')}`,
        request,
        tool,
        guard,
        ...(rule === undefined ? { question } : { rule }),
        ...(args === 'any' ? {} : { digest }),
        ...(typeof until === 'number' ? { until } : {}),
      }),
    );
    append(grants, grant);
  }
  if (grants.length === 0) return;
  await run.write(...grants.map((grant) => ({ type: 'grant', grant }) as const)); // all or none: it is one yes
  for (const grant of grants) {
    run.grants.add(grant);
    call.restsOn(grant.id);
  }
}

/** What an answer has granted by this ask is revoked: it settles the ask of no call any more. */
export const isRevoked = (run: RunState, request: string, ask: ShownAsk): boolean =>
  run.grants.hasAnswered(request) && !isNameless(ask.guard) && rememberedOf(run, request, ask) === undefined;

function rememberedOf(run: RunState, request: string, { guard, rule, question }: ShownAsk): Grant | undefined {
  for (const grant of run.grants.inForce(run.config.clock.date())) {
    if (grant.request !== request || grant.guard !== guard || grant.rule !== rule) continue;
    if (rule !== undefined || grant.question === question) return grant;
  }
  return undefined;
}

/** A guard without an id is told by its place, where another one may stand in the next process. */
export const isNameless = (guard: string): boolean => guard.includes('/~') || guard.startsWith('~');

/** Of grants in force, the one that settles an ask about a call, if there is one. */
export function grantFor(grants: Iterable<Grant>, { tool, digest }: Sealed, ask: Ask<unknown>): Grant | undefined {
  const { guard, rule, question } = shownAsk(ask);
  for (const grant of grants) {
    if (grant.guard !== guard || grant.rule !== rule) continue;
    if (rule === undefined && grant.question !== question) continue;
    if (grant.tool.source !== tool.source || grant.tool.name !== tool.name || grant.tool.digest !== tool.digest)
      continue;
    if (grant.digest !== undefined && grant.digest !== digest) continue;
    return grant;
  }
  return undefined;
}
