/** Settings of a plugin by the JSON Schema of its manifest. */
import { HookError, Setting, textOf, type Locate, type SchemaIssue } from '@treblehook/types';
import type { ErrorObject } from 'ajv';
import { configRefusal } from '../plugins/plugin-config.js';
import type { PluginManifest } from './manifest.js';

/**
 * Rejects with `TH_CONFIG_INVALID` for settings that the schema refuses (their place, and no secret), and for a schema
 * that is none (that of the manifest). The schema is somebody else's, and its patterns cost what they cost: ask this of a
 * plugin that has consent. Draft 2020-12; no format is looked at, nothing is filled in or fetched.
 */
export async function checkManifestConfig(
  { id, config: schema, locate: inManifest }: PluginManifest,
  { config, locate }: { readonly config?: unknown; readonly locate: Locate },
): Promise<void> {
  if (schema === undefined) return;
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const refuse = (error: unknown): never =>
    new Setting(schema, inManifest, ['config']).refuse(`this is no JSON Schema of draft 2020-12: ${textOf(error)}`);
  const engine = new Ajv2020({ strict: false, validateFormats: false, allErrors: false, logger: false });
  let validate;
  try {
    validate = engine.compile(structuredClone(schema));
    // settings that were left out are read as none
    if (validate(config ?? {})) return;
  } catch (error) {
    return refuse(error instanceof HookError ? error : (error as Error).message);
  }
  const issues = (validate.errors ?? []).map(issueOf);
  throw configRefusal({ id, config: config ?? {}, locate }, issues);
}

function issueOf({ instancePath, keyword, params, message = 'its schema refuses it' }: ErrorObject): SchemaIssue {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const key = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
    return { path: [...path, key], message: 'there is no such key' };
  }
  const allowed: unknown = keyword === 'enum' ? params['allowedValues'] : undefined;
  return { path, message: allowed === undefined ? message : `${message}: ${JSON.stringify(allowed)}` };
}
