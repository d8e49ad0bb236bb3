/** The settings: checks by calls of tools, and how often the model is told to go on. */
import { budgetRange, HookError, isBudget, settingsSchema, type Setting, type StandardSchema } from '@treblehook/types';
import type { CallCheck, Check, CodeCheck } from './checks.js';

/** What `config` may say; checks with a function are given in code. */
export interface VerifyFinishConfig {
  readonly checks?: readonly CallCheck[];
  /** How often the model is told what is missing, in one run, before the run is stopped: 0 to 4, default 3. */
  readonly maxContinuations?: number;
}
export interface VerifyFinishOptions {
  readonly checks?: readonly Check[];
  readonly maxContinuations?: number;
}
export interface Read {
  readonly checks: readonly Check[];
  readonly maxContinuations: number;
}

const defaultContinuations = 3;
const keys = ['checks', 'maxContinuations'] as const satisfies readonly (keyof VerifyFinishConfig)[];
const checkKeys = [
  'name',
  'tool',
  'match',
  'includes',
  'after',
  'message',
] as const satisfies readonly (keyof CallCheck)[];

/** Settings of a file stand behind those of the code: their checks are asked, too, and their cap counts. */
export function configSchema(code: VerifyFinishOptions): StandardSchema<VerifyFinishConfig | undefined, Read> {
  return settingsSchema((settings: Setting): Read => {
    const { checks, maxContinuations } = settings.fields(keys);
    const all = [...(code.checks ?? []), ...(checks === undefined ? [] : checks.items().map(readCheck))];
    if (all.length === 0) settings.lacks('checks', "a list such as [{ name: 'tests', tool: 'run_command' }]");
    const names = all.map(({ name }) => name);
    const twice = names.find((name, at) => names.indexOf(name) < at);
    if (twice !== undefined) settings.refuse(`two checks are called '${twice}': rename one`);
    const cap = maxContinuations === undefined ? code.maxContinuations : readCap(maxContinuations);
    return { checks: all, maxContinuations: cap ?? defaultContinuations };
  });
}

function readCap(setting: Setting): number {
  return isCap(setting.value) ? setting.value : setting.refuse(`${setting.name} must be a whole number from 0 to 4`);
}

/** The loop itself ends a run at its fifth. */
const isCap = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 4;

export function readCheck(setting: Setting): CallCheck {
  const { name, tool, match, includes, after, message } = setting.fields(checkKeys);
  if (name === undefined) return setting.lacks('name', 'how the model is told of it');
  if (tool === undefined) return setting.lacks('tool', 'the name of a tool that checks something');
  return Object.freeze({
    name: name.text(),
    tool: tool.text(),
    ...(match && { match: Object.fromEntries(match.entries().map(([key, words]) => [key, words.text()])) }),
    ...(includes && { includes: includes.text() }),
    ...(after && { after: after.texts().map((one) => one.text()) }),
    ...(message && { message: message.text() }),
  });
}

const codeKeys = ['name', 'check', 'timeoutMs', 'after', 'message'] as const satisfies readonly (keyof CodeCheck)[];

/** What is given in code. Throws `TH_OPTION_INVALID`, and `TH_CONFIG_INVALID` for a check by calls. */
export function readOptions(given: VerifyFinishOptions, readCall: (check: unknown) => CallCheck): VerifyFinishOptions {
  const { checks = [], maxContinuations, ...unknown } = given;
  const [key] = Object.keys(unknown);
  if (key !== undefined) throw invalid(`'${key}' is no option of verifyFinish: use checks, maxContinuations`);
  if (!Array.isArray(checks)) throw invalid('checks must be a list');
  if (maxContinuations !== undefined && !isCap(maxContinuations)) {
    throw invalid('maxContinuations must be a whole number from 0 to 4');
  }
  return {
    checks: checks.map((check: Check, at) => readAny(check, at, readCall)),
    ...(maxContinuations !== undefined && { maxContinuations }),
  };
}

function readAny(given: Check, at: number, readCall: (check: unknown) => CallCheck): Check {
  const where = `checks[${at}]`;
  if (typeof given !== 'object' || given === null) throw invalid(`${where} is no check`);
  if (!Object.hasOwn(given, 'check')) return readCall(given);
  const { name, check, timeoutMs, after, message } = given as CodeCheck;
  const unknown = Object.keys(given).find((key) => !(codeKeys as readonly string[]).includes(key));
  if (unknown !== undefined) throw invalid(`'${unknown}' is no key of ${where}: use ${codeKeys.join(', ')}`);
  if (typeof name !== 'string' || name.trim() === '') throw invalid(`${where}.name must be a text`);
  if (typeof check !== 'function') throw invalid(`${where}.check must be a function`);
  if (timeoutMs !== undefined && !isBudget(timeoutMs)) throw invalid(`${where}.timeoutMs must be ${budgetRange}`);
  if (message !== undefined && typeof message !== 'string') throw invalid(`${where}.message must be a text`);
  if (after !== undefined && !(Array.isArray(after) && after.every((one) => typeof one === 'string'))) {
    throw invalid(`${where}.after must be a list of names of tools`);
  }
  return Object.freeze({ ...given, ...(after && { after: [...after] }) });
}

const invalid = (what: string): HookError => new HookError('TH_OPTION_INVALID', { what });
