/** The settings, and the check of them. */
import { settingsSchema, type Setting } from '@treblehook/types';
import type { Price } from './cost.js';

/** Either or both; `cost` in the currency of the prices. */
export interface Limit {
  readonly tokens?: number;
  readonly cost?: number;
}

export interface BudgetConfig {
  readonly all: Limit;
  readonly perSession: Limit;
  readonly perDay: Limit;
  readonly perJob: ReadonlyMap<string, Limit>;
  readonly prices: ReadonlyMap<string, Price>;
  /** Shares of a limit, above 0 and at most 1. */
  readonly warnAt: number | undefined;
  readonly downgrade: { readonly model: string; readonly at: number } | undefined;
  readonly unpriced: 'veto' | 'allow';
  readonly onStoreFault: 'close' | 'open';
  /** Tokens that are reserved for an answer, where the request sets no `maxOutputTokens`. */
  readonly answerTokens: number;
}

const limitKeys = ['tokens', 'cost'] as const;
const priceKeys = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
const known = [
  ...limitKeys,
  ...(['perSession', 'perDay', 'perJob', 'prices', 'warnAt', 'downgrade', 'unpriced'] as const),
  ...(['onStoreFault', 'answerTokens'] as const),
] as const;

export const configSchema = settingsSchema((settings): BudgetConfig => {
  const given = settings.fields(known);
  const config: BudgetConfig = {
    all: limitIn(given),
    perSession: given.perSession === undefined ? {} : limitOf(given.perSession),
    perDay: given.perDay === undefined ? {} : limitOf(given.perDay),
    perJob: new Map(given.perJob?.entries().map(([name, one]) => [name, limitOf(one)])),
    prices: new Map(given.prices?.entries().map(([model, one]) => [model, priceOf(one)])),
    warnAt: given.warnAt && shareOf(given.warnAt),
    downgrade: given.downgrade && downgradeOf(given.downgrade),
    unpriced: choiceOf(given.unpriced, ['veto', 'allow']),
    onStoreFault: choiceOf(given.onStoreFault, ['close', 'open']),
    answerTokens: given.answerTokens === undefined ? 1_000 : tokensOf(given.answerTokens),
  };
  const limits = [config.all, config.perSession, config.perDay, ...config.perJob.values()];
  if (limits.every(({ tokens, cost }) => tokens === undefined && cost === undefined)) {
    settings.refuse('it limits nothing: give tokens, cost, perSession, perDay or perJob');
  }
  if (config.unpriced === 'veto' && config.prices.size === 0 && limits.some(({ cost }) => cost !== undefined)) {
    settings.lacks('prices', 'a limit of cost needs them, per model key: { input, output } per million tokens');
  }
  return config;
});

function limitIn({ tokens, cost }: { readonly tokens?: Setting; readonly cost?: Setting }): Limit {
  return {
    ...(tokens === undefined ? {} : { tokens: tokensOf(tokens) }),
    ...(cost === undefined ? {} : { cost: numberOf(cost, 'from 0 up', (n) => n >= 0) }),
  };
}

function limitOf(setting: Setting): Limit {
  const limit = limitIn(setting.fields(limitKeys));
  return limit.tokens === undefined && limit.cost === undefined
    ? setting.refuse(`${setting.name} limits nothing: give tokens or cost`)
    : limit;
}

function priceOf(setting: Setting): Price {
  const { input, output, cacheRead, cacheWrite } = setting.fields(priceKeys);
  const rate = (one: Setting): number => numberOf(one, 'from 0 up, per million tokens', (n) => n >= 0);
  return {
    input: rate(input ?? setting.lacks('input', 'write the price of a million tokens')),
    output: rate(output ?? setting.lacks('output', 'write the price of a million tokens')),
    ...(cacheRead === undefined ? {} : { cacheRead: rate(cacheRead) }),
    ...(cacheWrite === undefined ? {} : { cacheWrite: rate(cacheWrite) }),
  };
}

function downgradeOf(setting: Setting): BudgetConfig['downgrade'] {
  const { model, at } = setting.fields(['model', 'at']);
  if (model === undefined) return setting.lacks('model', 'write the key of the model to go on with');
  return { model: model.text(), at: at === undefined ? 0.8 : shareOf(at) };
}

const shareOf = (setting: Setting): number => numberOf(setting, 'above 0 and at most 1', (n) => n > 0 && n <= 1);
const tokensOf = (setting: Setting): number =>
  numberOf(setting, 'of tokens: whole, from 0 up', (n) => Number.isSafeInteger(n) && n >= 0);

function numberOf(setting: Setting, range: string, isRight: (value: number) => boolean): number {
  const { value, name } = setting;
  return typeof value === 'number' && Number.isFinite(value) && isRight(value)
    ? value
    : setting.refuse(`${name} must be a number ${range}`);
}

function choiceOf<T extends string>(setting: Setting | undefined, choices: readonly [T, T]): T {
  if (setting === undefined) return choices[0];
  const found = choices.find((one) => one === setting.value);
  return found ?? setting.refuse(`${setting.name} is ${choices.join(' or ')}`);
}
