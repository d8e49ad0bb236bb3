/** One decision: whether a call fits what is left, or why it does not. Pure. */
import type { Account } from './accounts.js';
import type { BudgetConfig, Limit } from './config.js';

/** A limit and the account that it is held against. */
export interface Line {
  /** As the settings name it: `perDay`; of all calls the empty text. */
  readonly name: string;
  readonly limit: Limit;
  readonly account: Account;
}

/** What a call is expected to take, with its answer (`whole`) and without. */
export interface Need {
  readonly model: string;
  readonly inputTokens: number;
  /** `undefined`: the model has no price. */
  readonly inputCost: number | undefined;
}

/** Why the call may not be sent, or `undefined`. */
export function refusalOf(lines: readonly Line[], need: Need, { unpriced }: BudgetConfig): string | undefined {
  for (const { name, limit, account } of lines) {
    const { tokens, cost } = limit;
    if (tokens !== undefined) {
      const used = account.tokens + account.reservedTokens;
      if (used >= tokens || used + need.inputTokens > tokens) {
        return said(name, 'tokens', tokens, account, account.tokens, account.reservedTokens, need.inputTokens);
      }
    }
    if (cost === undefined) continue;
    if (unpriced === 'veto' && need.inputCost === undefined) {
      return `the cost of the model '${need.model}' is unknown, and ${spelled(name, 'cost')} limits cost: give its price in prices`;
    }
    if (unpriced === 'veto' && account.unpriced > 0) {
      return `what was spent of ${spelled(name, 'cost')} is unknown: ${account.unpriced} of ${account.calls} calls were of models without a price`;
    }
    const used = account.cost + account.reservedCost;
    const more = need.inputCost ?? 0;
    if (used >= cost || used + more > cost) {
      return said(name, 'cost', cost, account, account.cost, account.reservedCost, more);
    }
  }
  return undefined;
}

/** The largest share of a limit that is used up, calls in hand included, with the limit's name; 1 is all of it. */
export function shareOf(
  lines: readonly Line[],
): { readonly share: number; readonly line: Line; readonly of: 'tokens' | 'cost' } | undefined {
  let most: ReturnType<typeof shareOf>;
  for (const line of lines) {
    const { limit, account } = line;
    const shares = {
      tokens: limit.tokens && (account.tokens + account.reservedTokens) / limit.tokens,
      cost: limit.cost && (account.cost + account.reservedCost) / limit.cost,
    };
    for (const of of ['tokens', 'cost'] as const) {
      const share = limit[of] === 0 ? 1 : shares[of];
      if (share !== undefined && (most === undefined || share > most.share)) most = { share, line, of };
    }
  }
  return most;
}

export const spelled = (name: string, of: 'tokens' | 'cost'): string => (name === '' ? `'${of}'` : `'${name}.${of}'`);
export const short = (value: number): string => String(Number(value.toPrecision(6)));

function said(
  name: string,
  of: 'tokens' | 'cost',
  limit: number,
  { calls, estimated, unpriced }: Account,
  spent: number,
  reserved: number,
  more: number,
): string {
  const counts = [
    `${calls} calls`,
    ...(estimated > 0 ? [`${estimated} of them estimated`] : []),
    ...(of === 'cost' && unpriced > 0 ? [`${unpriced} of unknown cost not counted`] : []),
  ];
  const inHand = reserved > 0 ? `, ${short(reserved)} reserved by calls in hand` : '';
  return `the budget ${spelled(name, of)} is ${short(limit)}: ${short(spent)} spent (${counts.join(', ')})${inHand}, and this call takes about ${short(more)} before its answer`;
}
