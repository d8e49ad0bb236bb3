/** All that a folder has, put together to be looked at: every plugin with consent, every tool, every plan. */
import {
  createHost,
  readLayers,
  type HostConfigReport,
  type LoadedLayer,
  type LoadedPersonality,
} from '@treblehook/host';
import { defaultPersonality, type AgentDescription } from '@treblehook/agent';
import type { HookError, PointDescription } from '@treblehook/types';
import { folderConfig } from '../folder-config.js';
import { fileFrom, type Io } from '../io.js';
import { folderAt } from '../run-host.js';
import { askedFirst } from '../tools/asked-first.js';
import { builtInTools } from '../tools/built-in.js';

export interface WorldFlags {
  readonly dir?: string | undefined;
  readonly personality?: string | undefined;
  readonly policy?: string | undefined;
}

export interface World {
  readonly dir: string;
  readonly report: HostConfigReport;
  /** The one that a run would be, then the others; never empty. */
  readonly personalities: readonly LoadedPersonality['personality'][];
  /** With every handler, none of them silenced. */
  readonly points: readonly PointDescription[];
  /** Every tool, also one that no personality offers. */
  readonly tools: AgentDescription['tools'];
  /** Why plugins that a personality lists do not stand, by their ids. */
  readonly failed: ReadonlyMap<string, unknown>;
  readonly standing: readonly string[];
  /** The layers of policy of a run as the first personality. */
  readonly layers: readonly LoadedLayer[];
}

/** The one that lists everything: nothing is run as it. */
const everything = 'everything';

/** Imports what has consent, runs its setup, and takes it away again. Rejects as `folderConfig` does. */
export async function worldOf(flags: WorldFlags, io: Io): Promise<World> {
  const dir = await folderAt(flags.dir, io.cwd);
  const folder = await folderConfig(flags, dir, io);
  const { report, plugins } = folder;
  const loaded = [...(folder.personality ? [folder.personality] : []), ...folder.personalities];
  const personalities = loaded.length === 0 ? [{ id: defaultPersonality.id }] : loaded.map((one) => one.personality);
  const first = personalities[0]!;
  const ids = plugins.map((one) => ('plugin' in one ? one.plugin.id : one.id));
  const builtIn = builtInTools(dir);
  const policy = flags.policy === undefined ? undefined : fileFrom(io, flags.policy);
  const { policy: defaultPolicy } = await askedFirst(builtIn, policy, first.id);
  const host = await createHost({
    model: 'offline',
    tools: builtIn,
    cwd: dir,
    plugins,
    personality: { id: everything, plugins: ids },
    policy: { rules: [] }, // what it would say is read below
    onWarning: () => {}, // they are about a personality that is none
  });
  try {
    const failed = new Map(host.failed.map(({ id, error }): [string, unknown] => [id, error]));
    const layers = await readLayers({
      policy,
      defaultPolicy,
      projectPolicy: folder.policy,
      personalityPolicy: first.policy,
    });
    const points = host.plan();
    const { tools } = host.agent.describe();
    return { dir, report, personalities, points, tools, failed, standing: host.plugins, layers };
  } finally {
    await host.close();
  }
}

/** The words of a fault. */
export const faultText = (fault: unknown): string => (fault as HookError | undefined)?.message ?? String(fault);
