/** What consent would be for, as a person reads it: where it stands, its files, what it says that it does. */
import { readManifest, type AskedItem, type ConsentItem, type PluginManifest } from '@treblehook/host';
import { agentHooks, type HookModel } from '@treblehook/types';
import { oneLine } from '../io.js';
import type { Style } from '../table.js';
import { visible } from '../visible.js';

/** What a manifest declares. */
export interface DeclaredByPlugin {
  readonly hooks: readonly { readonly name: string; readonly model: HookModel | 'of a plugin' }[];
  readonly tools: readonly string[];
  /** Hook points of its own. */
  readonly points: readonly string[];
}

/** One thing that would run. `declares` is absent of what has no manifest: a config, a module alone. */
export interface ToldItem extends AskedItem {
  readonly declares?: DeclaredByPlugin;
}

export async function toldItem(asked: AskedItem): Promise<ToldItem> {
  const { kind, place } = asked.item;
  if (kind !== 'plugin') return asked;
  // a module alone has none; one that is wrong by now is refused when it is loaded
  const manifest = await readManifest(place).catch(() => undefined);
  return manifest === undefined ? asked : { ...asked, declares: declaredBy(manifest) };
}

export const declaredBy = ({ hooks, tools, points }: PluginManifest): DeclaredByPlugin => ({
  hooks: hooks.map((name) => ({ name, model: modelOf(name) })),
  tools,
  points,
});

const modelOf = (name: string): HookModel | 'of a plugin' =>
  Object.hasOwn(agentHooks, name) ? agentHooks[name as keyof typeof agentHooks].model : 'of a plugin';

/** Text of others on one line, all of it visible. */
export const safe = (text: string): string => oneLine(visible(text));

const shortDigest = (digest: string): string => digest.slice(0, 12);
/** Files that are shown; the whole list is in the document of `--json`. */
const mostFiles = 12;

export function itemLines(
  { item, state, changed, declares, addresses = [] }: ToldItem,
  title: Style,
): readonly string[] {
  const { kind, id, origin, source, place, package: installed, digest, files } = item;
  const what = kind === 'config' ? `the config ${id}` : `the plugin ${id}`;
  const version = installed === undefined ? '' : `, ${installed.name}@${installed.version}`;
  const named = Object.entries(files);
  const more = named.length > mostFiles ? [`… and ${named.length - mostFiles} more files`] : [];
  return [
    title(safe(`${what}: ${state}${changed === undefined ? '' : `: ${changed}`}`)),
    ...[
      `${place} (${origin}${version}), named as ${source}`,
      ...declaredLines(kind, declares),
      ...(addresses.length === 0 ? [] : [`prompts and keys go to: ${addresses.join(', ')}`]),
      `digest ${shortDigest(digest)} of all that could be imported, and of it`,
      ...named.slice(0, mostFiles).map(([file, sha]) => `  ${shortDigest(sha)}  ${safe(file)}`),
      ...more,
    ].map((line) => `    ${/^ {2}/.test(line) ? line : safe(line)}`),
  ];
}

function declaredLines(kind: ConsentItem['kind'], declares: DeclaredByPlugin | undefined): readonly string[] {
  if (kind === 'config') return [];
  if (declares === undefined) return ['declares nothing: it is a module alone, and may register anything'];
  const list = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));
  const { hooks, tools, points } = declares;
  return [
    `hooks: ${list(hooks.map(({ name, model }) => `${name} (${model})`))}`,
    `tools: ${list(tools)}`,
    ...(points.length === 0 ? [] : [`hook points of its own: ${list(points)}`]),
  ];
}
