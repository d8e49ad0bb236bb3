/** The settings of a plugin: what its schema makes of them, or a refusal that names the place and shows no secret. */
import { frozen, isPromised } from '@treblehook/core';
import { HookError, isPlainObject, textOf, type SchemaIssue, type SchemaResult } from '@treblehook/types';
import type { ReadUse } from './plugin-use.js';

/** Rejects with `TH_CONFIG_INVALID`: file and line, or the path in what was given. */
export async function readPluginConfig({ id, plugin, config, locate }: ReadUse): Promise<unknown> {
  if (plugin.config === undefined) {
    if (config === undefined) return undefined;
    throw refusal(`the plugin '${id}' takes no config: leave it out`, [], locate);
  }
  let answer: SchemaResult<unknown>;
  try {
    const given = plugin.config['~standard'].validate(config);
    answer = isPromised(given) ? await given : (given as SchemaResult<unknown>);
  } catch (error) {
    throw refusal(`the config schema of the plugin '${id}' failed: ${textOf(error)}`, [], locate);
  }
  const { issues } = answer;
  if (issues !== undefined) throw configRefusal({ id, config, locate }, issues);
  const { value } = answer as { readonly value: unknown };
  return typeof value === 'object' && value !== null && (Array.isArray(value) || isPlainObject(value))
    ? frozen(value)
    : value;
}

/** What the issues of a schema say of settings, as a `TH_CONFIG_INVALID` that shows no secret. */
export function configRefusal(
  { id, config, locate }: Pick<ReadUse, 'id' | 'config' | 'locate'>,
  [first, ...rest]: readonly SchemaIssue[],
): HookError {
  const more = rest.length === 0 ? '' : `; and ${rest.length} more`;
  const path = pathOf(first);
  return refusal(`${inWords(id, path, config, first)}${more}`, path, locate);
}

const secretName =
  /key|token|secret|passw|credential|auth|bearer|cookie|private|header|words|dsn|ur[il]|webhook|^pin$|connection/i;
/** How much of a value is shown. */
const shownChars = 60;

function inWords(
  id: string,
  path: readonly (string | number)[],
  config: unknown,
  issue: SchemaIssue | undefined,
): string {
  const value = valueAt(config, path);
  const isSecret = path.some((step) => typeof step === 'string' && secretName.test(step));
  const shown = isSecret && value !== undefined ? 'a value that is not shown' : shownOf(value);
  const where = path.length === 0 ? `the config of the plugin '${id}'` : `'${path.join('.')}' of the plugin '${id}'`;
  const said = issue?.message ?? 'its schema refuses it';
  const safe = isSecret ? textsIn(value).reduce((text, secret) => text.split(secret).join('…'), said) : said;
  return `${where} is ${shown.length > shownChars ? `${shown.slice(0, shownChars)}…` : shown}: ${safe}`;
}

/** Every text in a value, the longest first. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value)
    .flatMap(textsIn)
    .toSorted((one, other) => other.length - one.length);
}

/** Of a map or a list its kind alone: secrets may stand in it. */
function shownOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'a map' : (JSON.stringify(value) ?? textOf(value));
}

const pathOf = (issue: SchemaIssue | undefined): readonly (string | number)[] =>
  (issue?.path ?? []).map((step) => {
    const key = typeof step === 'object' ? step.key : step;
    return typeof key === 'number' ? key : String(key);
  });

function valueAt(config: unknown, path: readonly (string | number)[]): unknown {
  let value = config;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

function refusal(what: string, path: readonly (string | number)[], locate: ReadUse['locate']): HookError {
  return new HookError('TH_CONFIG_INVALID', { ...locate(path, 'value'), what, path });
}
