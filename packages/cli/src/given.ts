/** What a run was given, as its log keeps it: `session resume` begins from there, and never without the policy that asked. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { urlOf } from '@treblehook/providers';
import type { RunView } from '@treblehook/agent';
import type { JsonObject } from '@treblehook/types';
import { shellWord } from './io.js';
import { projectPolicyIn } from './policy/project-policy.js';
import { namesIn, readingNames } from './tools/built-in.js';
import { isRedacted } from './redact.js';
import type { HostFlags } from './run-host.js';
import { UsageError } from './usage-error.js';

/** Files and folders are absolute. A model has no key and no user part. */
export interface Given {
  readonly dir: string;
  readonly personality?: string;
  readonly policy?: string;
  /** The folder's own policy, which no flag names. */
  readonly project?: string;
  /** The config file of the folder, which was read. */
  readonly config?: string;
  /** Ids of its plugins that stood for the personality, with commas between. */
  readonly plugins?: string;
  /** The file of MCP servers. */
  readonly mcp?: string;
  /** Names of built-in tools with commas between; those that look around when it is absent. */
  readonly tools?: string;
  /** The personality's when it is absent. */
  readonly model?: string;
  readonly strict?: boolean;
}

const paths = ['dir', 'personality', 'policy', 'mcp'] as const;
const texts = [...paths, 'tools', 'model'] as const;
const ofFolder = ['project', 'config', 'plugins'] as const;
type Named = Exclude<(typeof texts)[number], 'model'> | (typeof ofFolder)[number];

const wordOf: Readonly<Record<Named, string>> = {
  dir: 'folder',
  personality: 'personality',
  policy: 'policy',
  project: 'policy of the folder',
  config: 'config of the folder',
  plugins: 'choice of plugins',
  mcp: 'file of MCP servers',
  tools: 'choice of tools',
};

/** What the folder itself has given. */
export interface OfFolder {
  readonly project?: string | undefined;
  readonly config?: string | undefined;
  readonly plugins?: readonly string[];
}

export function givenBy(
  flags: HostFlags,
  cwd: string,
  model: string | undefined,
  { project, config, plugins = [] }: OfFolder = {},
): Given {
  const { personality, policy, mcp, tools } = flags;
  return {
    dir: resolve(cwd, flags.dir ?? '.'),
    ...(personality !== undefined && { personality: resolve(cwd, personality) }),
    ...(policy !== undefined && { policy: resolve(cwd, policy) }),
    ...(project !== undefined && { project: resolve(cwd, project) }),
    ...(config !== undefined && { config }),
    ...(plugins.length > 0 && { plugins: plugins.join(',') }),
    ...(mcp !== undefined && { mcp: resolve(cwd, mcp) }),
    ...(tools !== undefined && { tools: namesIn(flags).join(',') }),
    ...(model !== undefined && { model }),
    ...(flags.strict && { strict: true }),
  };
}

/** What the log says of a run; `undefined` of one that another program has left, or that says anything else. */
export function givenOf(run: Pick<RunView, 'note'> | undefined): Given | undefined {
  const note: JsonObject = run?.note ?? {};
  const { dir, strict } = note;
  const isOurs =
    typeof dir === 'string' &&
    [...texts, ...ofFolder].every((name) => note[name] === undefined || typeof note[name] === 'string') &&
    (strict === undefined || typeof strict === 'boolean');
  return isOurs ? (note as unknown as Given) : undefined;
}

/**
 * The flags that go on with a run: what is left out is what the run was given. Throws `UsageError` for what is gone, and
 * `TH_CONFIG_INVALID` where it cannot be told which policy the folder has.
 */
export function flagsFrom<F extends HostFlags>(flags: F, given: Given, cwd: string): F {
  for (const name of paths) {
    const path = given[name];
    if (flags[name] !== undefined || path === undefined || existsSync(path)) continue;
    const mend = `--${name} <${name === 'dir' ? 'folder' : 'file'}>`;
    throw new UsageError(
      `the ${wordOf[name]} of the run, '${path}', is not there any more: put it back, or give another one by ${mend}`,
    );
  }
  const isSameFolder = resolve(cwd, flags.dir ?? given.dir) === given.dir;
  if (isSameFolder && given.config === undefined) assertProject(given, projectPolicyIn(given.dir));
  if (isSameFolder && given.config !== undefined && !existsSync(given.config)) {
    throw new UsageError(`the ${wordOf.config} of the run, '${given.config}', is not there any more: put it back`);
  }
  if (flags.model === undefined && isRedacted(given.model ?? '')) {
    throw new UsageError(`the log does not keep the model of the run whole, '${given.model}': give it by --model`);
  }
  const { dir, personality, policy, mcp, tools, model, strict } = given;
  return {
    ...flags,
    dir: flags.dir ?? dir,
    personality: flags.personality ?? personality,
    policy: flags.policy ?? policy,
    mcp: flags.mcp ?? mcp,
    tools: flags.tools ?? tools,
    model: flags.model ?? model,
    strict: flags.strict || strict,
    // one that has come since is none of the run's
    ...(given.config === undefined && { config: false }),
  };
}

function assertProject({ project }: Given, now: string | undefined): void {
  if (project === undefined || now !== undefined) return;
  throw new UsageError(
    `the ${wordOf.project} of the run, '${project}', is not there any more: put it back; 'rules: []' in it says that the folder has no rules`,
  );
}

/** Throws `UsageError` when a run would go on with less than its folder gave it: without its policy, without a plugin. */
export function assertWhole(before: Given, now: Given): void {
  if (before.dir === now.dir) assertProject(before, now.project);
  const standing = now.plugins?.split(',') ?? [];
  const gone = before.plugins?.split(',').filter((id) => !standing.includes(id)) ?? [];
  if (gone.length === 0) return;
  const [which, are] = gone.length === 1 ? ['plugin', 'does'] : ['plugins', 'do'];
  throw new UsageError(
    `the ${which} ${gone.map((id) => `'${id}'`).join(', ')} of the run ${are} not stand here: put it back into the config of ${now.dir} and the list of the personality, see treblehook plugin list`,
  );
}

/** A line for each of these that is another one now. */
export function changesOf(
  before: Given,
  now: Given,
  names: readonly Named[] = [...paths, ...ofFolder, 'tools'],
): readonly string[] {
  const shown = (given: Given, name: Named): string => {
    const value = name === 'tools' ? (given.tools ?? readingNames.join(',')) : given[name];
    return value === undefined ? 'none' : `'${value}'`;
  };
  return names
    .filter((name) => shown(before, name) !== shown(now, name))
    .map((name) => `the ${wordOf[name]} was ${shown(before, name)}, and is ${shown(now, name)} now`);
}

/**
 * The flags that have to be said to go on: what the log has not, a model whose URL is to get a key, and the store when it
 * was named. Paths are absolute, so that the command means the same in any folder.
 */
export function flagsBeside(
  logged: Given | undefined,
  now: Partial<Given>,
  { store }: Pick<HostFlags, 'store'>,
  cwd: string,
): string {
  const start: Given = { dir: cwd, model: 'offline' }; // what is so when nothing is said
  const had = logged ?? start;
  const given = texts.flatMap((name) => {
    const value = now[name];
    if (value === undefined) return [];
    const isSaid = value === had[name] && (name !== 'model' || urlOf(value) === undefined);
    return isSaid ? [] : [` --${name} ${shellWord(value)}`];
  });
  const strict = now.strict && !had.strict ? ' --strict' : '';
  return `${given.join('')}${strict}${store ? ` --store ${shellWord(resolve(cwd, store))}` : ''}`;
}

/** All that a run was given, as flags. */
export const flagsOf = ({ strict, ...given }: Given): string =>
  texts
    .flatMap((name) => (given[name] === undefined ? [] : [`--${name} ${shellWord(given[name])}`]))
    .concat(strict ? ['--strict'] : [])
    .join(' ');
