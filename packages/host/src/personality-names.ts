/** The names in a personality: plugins and tools that the host has, or a refusal with the nearest that it has. */
import { didYouMean, HookError, matchName, Setting } from '@treblehook/types';
import type { LoadedPersonality } from './personality.js';
import { howToOffer, type SpareTools } from './policy-file.js';

/** Refuses a plugin that the host is not given. Throws `TH_CONFIG_INVALID`. */
export function checkPlugins({ personality, locate }: LoadedPersonality, plugins: readonly string[]): void {
  for (const [at, id] of (personality.plugins ?? []).entries()) {
    if (plugins.includes(id)) continue;
    new Setting(undefined, locate, ['plugins', at]).refuse(`there is no plugin '${id}'${mend(id, plugins, 'plugin')}`);
  }
}

/** A tool by its name, and whose it is. */
export interface OwnedTool {
  readonly name: string;
  /** `plugin:<id>` of a tool that exists for personalities alone that list the plugin. */
  readonly source: string;
}

/**
 * Refuses a tool that the host does not have, or that is of a plugin which the personality does not list; where a plugin of
 * its list has failed the tool may be that one's, and is a `TH_MATCHES_NOTHING`. Throws
 * `TH_CONFIG_INVALID`. Returns a `TH_MATCHES_NOTHING` for each glob that matches nothing: a personality may serve several
 * hosts.
 */
export function checkTools(
  { personality, locate }: LoadedPersonality,
  all: readonly OwnedTool[],
  spare: SpareTools,
  failed: readonly string[],
): readonly HookError[] {
  const lost = (personality.plugins ?? []).filter((id) => failed.includes(id));
  const listed = new Set((personality.plugins ?? []).map((id) => `plugin:${id}`));
  const isThere = ({ source }: OwnedTool): boolean => !source.startsWith('plugin:') || listed.has(source);
  const names = all.filter(isThere).map(({ name }) => name);
  return (personality.tools ?? []).flatMap((glob, at) => {
    if (names.some((name) => matchName(glob, name))) return [];
    const silent = all.find(({ name }) => matchName(glob, name));
    const how =
      silent === undefined
        ? howToOffer(spare, (name) => matchName(glob, name))
        : `it is of the plugin '${silent.source.slice('plugin:'.length)}', which this personality does not list`;
    if (lost.length > 0) {
      const what = `there is no tool '${glob}': it may be of the plugin '${lost.join("', '")}', which has failed`;
      return [new HookError('TH_MATCHES_NOTHING', { ...locate(['tools', at], 'value'), what })];
    }
    if (!glob.includes('*')) {
      const what = how === undefined ? mend(glob, names, 'tool') : `, it is not offered: ${how}`;
      return new Setting(undefined, locate, ['tools', at]).refuse(`there is no tool '${glob}'${what}`);
    }
    const near = how ?? didYouMean(glob, [...names, ...globsOf(names)]);
    const what = `'${glob}' matches none of the tools ${names.join(', ')}${near === undefined ? '' : `: ${near}`}`;
    return [new HookError('TH_MATCHES_NOTHING', { ...locate(['tools', at], 'value'), what })];
  });
}

/** Globs that match one of the names by its beginning or its end; a shorter part is near to anything. */
const globsOf = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) =>
    Array.from(name.slice(3), (_, at) => [`${name.slice(0, at + 3)}*`, `*${name.slice(at + 1)}`]).flat(),
  );

function mend(wrong: string, names: readonly string[], what: string): string {
  return `: ${didYouMean(wrong, names) ?? `this host has ${names.join(', ') || `no ${what}s`}`}`;
}
