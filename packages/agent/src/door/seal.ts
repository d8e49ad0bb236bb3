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
  const { digest, name, source } = tool;
  const text = `{"args":${canonicalJson(copy)},"tool":${canonicalJson({ digest, name, source })}}`;
  return { tool, args: copy, digest: hash('sha256', text) };
}

/** Arguments as frozen plain JSON. Throws `TH_ARGS_INVALID`. */
export function sealedArgs(tool: string, args: unknown): JsonValue {
  try {
    return plainJson(args);
  } catch (error) {
    throw new HookError('TH_ARGS_INVALID', { tool, what: textOf(error), cause: error });
  }
}
