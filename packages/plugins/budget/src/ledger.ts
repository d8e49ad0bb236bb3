/** Who has reserved what, and where it is counted. All of it is synchronous: between a look and a reservation nobody else looks. */
import {
  didYouMean,
  estimateTokens,
  ownFields,
  tokenTally,
  type AgentDone,
  type Frozen,
  type JsonObject,
  type LLMOutcome,
  type LLMRequest,
  type SubagentSpawned,
} from '@treblehook/types';
import { count, spentOf, type Account, type Accounts } from './accounts.js';
import type { BudgetConfig, Limit } from './config.js';
import { costOf, usedBy, type Price } from './cost.js';
import { refusalOf, shareOf, short, spelled, type Line } from './decide.js';

export interface LedgerParts {
  readonly config: BudgetConfig;
  readonly accounts: Accounts;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly warn: (what: string, fields: JsonObject) => void;
}

interface Reservation {
  readonly accounts: readonly Account[];
  readonly inputTokens: number;
  readonly tokens: number;
  readonly cost: number;
}

/** Of one run: what its calls have reserved (of the turn, and by what for those of handlers), and one that was sent in vain. */
interface InHand {
  readonly reserved: Map<string | undefined, Reservation[]>;
  lost: { readonly reservation: Reservation; readonly model: string } | undefined;
}

/** Children whose parents are remembered, and warnings that were given. */
const most = 50_000;

export class Ledger {
  readonly #parts: LedgerParts;
  readonly #tally = tokenTally(estimateTokens);
  readonly #runs = new Map<string, InHand>();
  /** By the session of a child: the session of the run that began it all. */
  readonly #roots = new Map<string, string>();
  readonly #warned = new Set<string>();

  constructor(parts: LedgerParts) {
    this.#parts = parts;
  }

  /** What becomes of the request; with it goes a reservation, until the call is counted. */
  decide(request: Frozen<LLMRequest>): { readonly veto: string } | { readonly model: string } | undefined {
    const { config } = this.#parts;
    const { origin, job, purpose, settings, models } = ownFields(request);
    const inHand = this.#inHand(origin.runId);
    // what was reserved for a request that others did not let through; calls of handlers are let go with the run
    if (purpose === undefined) this.#releaseAll(inHand, undefined);
    const lines = this.#linesOf(origin.sessionId, job?.class);
    const inputTokens = this.#tokensOf(request);
    const answerTokens = ownFields(settings).maxOutputTokens ?? config.answerTokens;
    const soft = config.downgrade;
    if (soft !== undefined && !models.includes(soft.model)) this.#warnOfModel(soft.model, models);
    const canGoDown = soft !== undefined && soft.model !== request.model && models.includes(soft.model);
    const isHigh = canGoDown && (shareOf(lines)?.share ?? 0) >= soft.at;
    let refusal: string | undefined;
    for (const model of [...(isHigh ? [] : [request.model]), ...(canGoDown ? [soft.model] : [])]) {
      const price = config.prices.get(model);
      const inputCost = price && costOf(price, { fresh: inputTokens, output: 0 });
      const why = refusalOf(lines, { model, inputTokens, inputCost }, config);
      refusal ??= why;
      if (why !== undefined) continue;
      const tokens = inputTokens + answerTokens;
      const cost = price === undefined ? 0 : costOf(price, { fresh: inputTokens, output: answerTokens });
      this.#reserve(inHand, purpose, { accounts: lines.map(({ account }) => account), inputTokens, tokens, cost });
      this.#warn(lines);
      return model === request.model ? undefined : { model };
    }
    return { veto: refusal! };
  }

  count(outcome: Frozen<LLMOutcome>): void {
    const { origin, purpose, model, response, usage, error } = ownFields(outcome);
    const inHand = this.#runs.get(origin.runId); // what comes behind the end of its run opens nothing
    const reservation = inHand?.reserved.get(purpose)?.shift();
    if (reservation !== undefined) release(reservation);
    const accounts = reservation?.accounts ?? this.#linesOf(origin.sessionId, undefined).map(({ account }) => account);
    if (usage === undefined && response === undefined) {
      // it may have cost nothing; how the run ends says whether it was broken off
      if (error !== undefined && inHand !== undefined && reservation !== undefined)
        inHand.lost = { reservation, model };
      return;
    }
    const used = usedBy({ usage, response } as LLMOutcome, this.#priceOf(model), reservation?.inputTokens ?? 0);
    for (const account of new Set(accounts)) count(account, used);
  }

  /** A child's calls count where its parent's do. */
  spawned({ origin, childSessionId }: Frozen<SubagentSpawned>): void {
    this.#roots.set(childSessionId, this.#rootOf(origin.sessionId));
    if (this.#roots.size > most) this.#roots.delete(this.#roots.keys().next().value as string);
  }

  /** Whether anything was counted: of an aborted run the request that was sent in vain. */
  done({ origin, status }: Frozen<AgentDone>): boolean {
    const inHand = this.#runs.get(origin.runId);
    if (inHand === undefined) return false;
    this.#runs.delete(origin.runId);
    for (const purpose of inHand.reserved.keys()) this.#releaseAll(inHand, purpose);
    const { lost } = inHand;
    if (status !== 'aborted' || lost === undefined) return false;
    const { accounts, inputTokens } = lost.reservation;
    const price = this.#priceOf(lost.model);
    const cost = price && costOf(price, { fresh: inputTokens, output: 0 });
    for (const account of new Set(accounts)) count(account, { tokens: inputTokens, cost, isEstimated: true });
    return true;
  }

  #inHand(runId: string): InHand {
    let inHand = this.#runs.get(runId);
    if (inHand === undefined) this.#runs.set(runId, (inHand = { reserved: new Map(), lost: undefined }));
    return inHand;
  }

  #rootOf(sessionId: string): string {
    return this.#roots.get(sessionId) ?? sessionId;
  }

  #linesOf(sessionId: string, job: string | undefined): readonly Line[] {
    const { config, accounts, now } = this.#parts;
    const line = (name: string, limit: Limit | undefined, of: string): Line[] =>
      limit === undefined || (limit.tokens === undefined && limit.cost === undefined)
        ? []
        : [{ name, limit, account: accounts.of(of) }];
    return [
      ...line('', config.all, 'all'),
      ...line('perSession', config.perSession, `session:${this.#rootOf(sessionId)}`),
      ...line('perDay', config.perDay, `day:${new Date(now()).toISOString().slice(0, 10)}`),
      ...(job === undefined ? [] : line(`perJob.${job}`, config.perJob.get(job), `job:${job}`)),
    ];
  }

  #tokensOf({ messages, tools, inject }: LLMRequest): number {
    return this.#tally(messages, tools) + estimateTokens(inject);
  }

  #priceOf(model: string): Price | undefined {
    return this.#parts.config.prices.get(model);
  }

  #reserve({ reserved }: InHand, purpose: string | undefined, reservation: Reservation): void {
    const list = reserved.get(purpose);
    if (list === undefined) reserved.set(purpose, [reservation]);
    else list.push(reservation);
    for (const account of reservation.accounts) {
      account.inHand += 1;
      account.reservedTokens += reservation.tokens;
      account.reservedCost += reservation.cost;
    }
  }

  #releaseAll({ reserved }: InHand, purpose: string | undefined): void {
    for (const reservation of reserved.get(purpose)?.splice(0) ?? []) release(reservation);
  }

  #warnOfModel(model: string, models: readonly string[]): void {
    if (this.#warned.has(`model ${model}`)) return;
    remember(this.#warned, `model ${model}`);
    const meant = didYouMean(model, models) ?? `it has ${models.join(', ')}`;
    this.#parts.warn(`downgrade.model '${model}' is no model of the agent: ${meant}`, {});
  }

  #warn(lines: readonly Line[]): void {
    const { config, warn } = this.#parts;
    if (config.warnAt === undefined) return;
    for (const line of lines) {
      const most = shareOf([line])!;
      const key = `${line.account.of} ${most.of}`;
      if (most.share < config.warnAt || this.#warned.has(key)) continue;
      remember(this.#warned, key);
      const used = `${Math.floor(most.share * 100)} % of ${short(line.limit[most.of]!)}`;
      warn(`the budget ${spelled(line.name, most.of)} is at ${used} (${line.account.of})`, spentOf(line.account));
    }
  }
}

function release({ accounts, tokens, cost }: Reservation): void {
  for (const account of accounts) {
    account.inHand -= 1;
    // of none in hand nothing is reserved, whatever the sums of fractions say
    account.reservedTokens = account.inHand === 0 ? 0 : account.reservedTokens - tokens;
    account.reservedCost = account.inHand === 0 ? 0 : account.reservedCost - cost;
  }
}

function remember(set: Set<string>, key: string): void {
  set.add(key);
  if (set.size > most) set.delete(set.keys().next().value as string);
}
