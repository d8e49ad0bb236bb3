/** The seal: arguments as one frozen copy with a digest, which is all that guards, log and body ever get. */
import { hash } from 'node:crypto';
import { HookError, textOf, type JsonValue, type ToolIdentity } from '@treblehook/types';
import { canonicalJson } from './canonical.js';
import { plainJson } from './plain-json.js';

export interface Sealed {
  readonly tool: ToolIdentity;
  readonly args: JsonValue;
  /** SHA-256 (hex) of the canonical JSON of `{ tool, args }`. */
  readonly digest: string;
}

/** Throws `TH_ARGS_INVALID` for arguments that are not plain JSON. */
export function seal(tool: ToolIdentity, args: unknown): Sealed {
  const copy = sealedArgs(tool.name, args);
  const text = `{"args":${canonicalJson(copy)},"tool":${identityText(tool)}}`;
  return { tool, args: copy, digest: hash('sha256', text) };
}

/** An identity is frozen and lives as long as its tool: its text is made once. */
const identityTexts = new WeakMap<ToolIdentity, string>();

function identityText(tool: ToolIdentity): string {
  let text = identityTexts.get(tool);
  if (text === undefined) {
    const { digest, name, source } = tool;
    identityTexts.set(tool, (text = canonicalJson({ digest, name, source })));
  }
  return text;
}

/** Arguments as frozen plain JSON. Throws `TH_ARGS_INVALID`. */
export function sealedArgs(tool: string, args: unknown): JsonValue {
  try {
    return plainJson(args);
  } catch (error) {
    throw new HookError('TH_ARGS_INVALID', { tool, what: textOf(error), cause: error });
  }
}
