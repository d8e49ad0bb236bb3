/** Accounts: what was spent in all, in a session, on a day, for a class of jobs, and what calls in hand have reserved. */
import { givenInline, Setting, type JsonObject } from '@treblehook/types';
import type { Used } from './cost.js';

/** `all`, `session:<id>`, `day:<yyyy-mm-dd>` (UTC) or `job:<class>`. */
export type AccountName = string;

/** As it is kept: plain JSON. */
export interface KeptAccount {
  readonly of: AccountName;
  readonly tokens: number;
  /** Of the calls whose price is known. */
  readonly cost: number;
  readonly calls: number;
  /** Calls of which the provider has not told all. */
  readonly estimated: number;
  /** Calls of models without a price: what they cost is not in `cost`. */
  readonly unpriced: number;
}

export interface BudgetState {
  readonly version: 1;
  readonly accounts: readonly KeptAccount[];
}

export type Account = { -readonly [K in keyof KeptAccount]: KeptAccount[K] } & {
  /** Reservations of calls in hand, and what they come to. */
  inHand: number;
  reservedTokens: number;
  reservedCost: number;
};

/** Sessions that are remembered; of more, the one that has rested longest is forgotten. */
const mostSessions = 50_000;

export class Accounts {
  readonly #all = new Map<AccountName, Account>();
  #sessions = 0;

  of(name: AccountName): Account {
    let account = this.#all.get(name);
    if (account === undefined) {
      const zero = { tokens: 0, cost: 0, calls: 0, estimated: 0, unpriced: 0 };
      account = { of: name, ...zero, inHand: 0, reservedTokens: 0, reservedCost: 0 };
      if (isSession(name)) this.#sessions++;
      if (isDay(name)) this.#forgetDaysBefore(name);
    } else {
      this.#all.delete(name);
    }
    this.#all.set(name, account);
    if (this.#sessions > mostSessions) this.#forgetOneSession();
    return account;
  }

  state(): BudgetState {
    const accounts = [...this.#all.values()].map(({ of, tokens, cost, calls, estimated, unpriced }) =>
      Object.freeze({ of, tokens, cost, calls, estimated, unpriced }),
    );
    return Object.freeze({ version: 1, accounts: Object.freeze(accounts) });
  }

  /** Throws `TH_CONFIG_INVALID` for what is no state. */
  restore(state: unknown): void {
    const whole = new Setting(state, givenInline('the state of the budget'));
    const { version, accounts } = whole.fields(['version', 'accounts']);
    if (version?.value !== 1) whole.refuse('its version is not 1: it was kept by something else');
    for (const one of (accounts ?? whole.lacks('accounts', 'it is a list')).items()) {
      const { of, ...counts } = one.fields(['of', ...countKeys]);
      const account = this.of((of ?? one.lacks('of', 'it names the account')).text());
      for (const key of countKeys) {
        const value = counts[key]?.value;
        const isCount = typeof value === 'number' && Number.isFinite(value) && value >= 0;
        account[key] = isCount ? value : one.refuse(`'${key}' is no number from 0 up`);
      }
    }
  }

  #forgetDaysBefore(day: AccountName): void {
    for (const [name, { inHand }] of this.#all) if (inHand === 0 && isDay(name) && name < day) this.#all.delete(name);
  }

  #forgetOneSession(): void {
    for (const [name, { inHand }] of this.#all) {
      if (inHand > 0 || !isSession(name)) continue;
      this.#all.delete(name);
      this.#sessions--;
      return;
    }
  }
}

const countKeys = ['tokens', 'cost', 'calls', 'estimated', 'unpriced'] as const;
const isDay = (name: AccountName): boolean => name.startsWith('day:');
const isSession = (name: AccountName): boolean => name.startsWith('session:');

export function count(account: Account, { tokens, cost, isEstimated }: Used): void {
  account.calls += 1;
  account.tokens += tokens;
  account.cost += cost ?? 0;
  if (isEstimated) account.estimated += 1;
  if (cost === undefined && tokens > 0) account.unpriced += 1;
}

/** As fields of a line of the log. */
export const spentOf = ({ tokens, cost, calls, estimated, unpriced }: Account): JsonObject => ({
  tokens,
  cost,
  calls,
  estimated,
  unpriced,
});
