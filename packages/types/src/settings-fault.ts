/** What makes the settings of a model call sendable. */
import { didYouMean } from './nearest-name.js';

/** What is wrong with the value of a setting; `undefined` when nothing is. */
type Rule = (value: unknown) => string | undefined;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const own = (object: object, key: string): unknown => Object.getOwnPropertyDescriptor(object, key)?.value;
const oneOf = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');

const choices: readonly string[] = ['auto', 'none', 'required'];
const efforts: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high'];

/** Breakpoints in one request: https://docs.claude.com/en/docs/build-with-claude/prompt-caching. */
const mostMarks = 4;
const isRising = (position: unknown, at: number, all: readonly unknown[]): boolean =>
  Number.isSafeInteger(position) &&
  (position as number) >= 0 &&
  (at === 0 || (all[at - 1] as number) < (position as number));

const number =
  (least: number, most = Infinity): Rule =>
  (value) =>
    typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most
      ? undefined
      : `must be a number from ${least}${most === Infinity ? '' : ` to ${most}`}`;
const whole =
  (least: number): Rule =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= least
      ? undefined
      : `must be a whole number${least === Number.MIN_SAFE_INTEGER ? '' : ` from ${least}`}`;

const rules: Readonly<Record<string, Rule>> = Object.freeze(
  Object.assign(Object.create(null) as Record<string, Rule>, {
    temperature: number(0),
    topP: number(0, 1),
    maxOutputTokens: whole(1),
    stop: (value) =>
      Array.isArray(value) && value.every((text) => typeof text === 'string' && text !== '')
        ? undefined
        : 'must be a list of texts that are not empty',
    seed: whole(Number.MIN_SAFE_INTEGER),
    toolChoice: (value) =>
      choices.includes(value as string) || (isObject(value) && typeof own(value, 'tool') === 'string')
        ? undefined
        : `must be one of ${oneOf(choices)}, or { tool: '<name>' }`,
    reasoning: (value) => (efforts.includes(value as string) ? undefined : `must be one of ${oneOf(efforts)}`),
    responseFormat: formatFault,
    cacheAfter: (value) =>
      Array.isArray(value) && value.length <= mostMarks && value.every(isRising)
        ? undefined
        : `must be a list of at most ${mostMarks} positions in messages: whole numbers from 0, rising`,
  } satisfies Record<string, Rule>),
);
const names = Object.keys(rules);

function meant(key: string): string {
  return `: ${didYouMean(key, names) ?? `settings are ${names.join(', ')}`}`;
}

function formatFault(value: unknown): string | undefined {
  const type = isObject(value) ? own(value, 'type') : undefined;
  if (type === 'text') return undefined;
  if (type !== 'json') return "must be { type: 'text' }, or { type: 'json', schema? }";
  const schema = own(value as object, 'schema');
  return schema === undefined || isObject(schema) ? undefined : 'has a schema that is no JSON Schema object';
}

/**
 * Says what is wrong with the settings of a model call, or `undefined`: an unknown key, a value of another kind or out of
 * range, a choice of a tool that is not among `tools`. A value that is `undefined` or `null` is not set.
 */
export function settingsFault(settings: unknown, tools?: readonly string[]): string | undefined {
  if (!isObject(settings)) return 'settings must be an object';
  for (const key of Object.keys(settings)) {
    const rule = rules[key];
    if (rule === undefined) return `'${key}' is no setting${meant(key)}`;
    const value = settings[key];
    const fault = value === undefined || value === null ? undefined : rule(value);
    if (fault !== undefined) return `the setting '${key}' ${fault}`;
  }
  const choice = own(settings, 'toolChoice');
  const tool = isObject(choice) ? own(choice, 'tool') : undefined;
  if (tool === undefined || tools === undefined || tools.includes(tool as string)) return undefined;
  return `the setting 'toolChoice' names the tool '${tool as string}', which is not offered`;
}
