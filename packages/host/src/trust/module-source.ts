/** How a file of a snapshot is run: its format, and its text without types. */
import { dirname, extname, join } from 'node:path';
import { Script } from 'node:vm';
import { HookError, textOf } from '@treblehook/types';
import { isInside } from '../discovery/paths.js';
import type { Snapshot } from './snapshot.js';

export interface ModuleSource {
  readonly format: 'module' | 'commonjs' | 'json';
  readonly source: string;
}

/** Of a native addon, which only its path can load, there is none. Rejects with `TH_CONFIG_INVALID` for wrong TypeScript. */
export async function moduleSource(file: string, snapshot: Snapshot): Promise<ModuleSource | undefined> {
  const ending = extname(file);
  if (ending === '.node') return undefined;
  const text = new TextDecoder().decode(snapshot.files.get(file)!.bytes);
  if (ending === '.json') return { format: 'json', source: text };
  const source = ending.endsWith('ts') ? await withoutTypes(file, text) : text;
  return { format: formatOf(file, source, snapshot), source };
}

function formatOf(file: string, source: string, snapshot: Snapshot): 'module' | 'commonjs' {
  const ending = extname(file);
  if (ending.startsWith('.m')) return 'module';
  if (ending.startsWith('.c')) return 'commonjs';
  for (let folder = dirname(file); isInside(snapshot.root, folder); folder = dirname(folder)) {
    const manifest = snapshot.files.get(join(folder, 'package.json'));
    if (manifest === undefined) continue;
    const type = typeOf(manifest.bytes.toString('utf8'));
    if (type === 'module' || type === 'commonjs') return type;
    break;
  }
  return isModule(source) ? 'module' : 'commonjs';
}

/** As Node tells the two apart where nothing says it: what only a module may hold does not compile as anything else. */
function isModule(source: string): boolean {
  try {
    void new Script(`(function (exports, require, module, __filename, __dirname) {${source.replace(/^#!.*/, '')}\n})`);
    return false;
  } catch (error) {
    return /import statement|'export'|import\.meta|await is only valid/.test((error as Error).message);
  }
}

function typeOf(manifest: string): unknown {
  try {
    const value: unknown = JSON.parse(manifest.replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null && Object.hasOwn(value, 'type')
      ? (value as { readonly type: unknown }).type
      : undefined;
  } catch {
    return undefined; // Node refuses it where it matters
  }
}

/**
 * Types are blanked out and every line stays where it is; what types are not erased from (enums, namespaces with values,
 * parameter properties) is refused. It is what Node itself does since 22.18, here on each Node alike.
 */
async function withoutTypes(file: string, text: string): Promise<string> {
  const { default: swc } = await import('@swc/wasm-typescript');
  try {
    return swc.transformSync(text, { filename: file, mode: 'strip-only' }).code;
  } catch (error) {
    const said = textOf((error as { readonly message?: unknown }).message ?? error)
      .split('\n')
      .find((line) => line.trim() !== '');
    const what = `its types cannot be left out: ${said?.trim() ?? 'no reason was given'}; write what erases, or name compiled JavaScript`;
    throw new HookError('TH_CONFIG_INVALID', { file, at: '', what, cause: error });
  }
}
