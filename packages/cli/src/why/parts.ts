/** What is told of a plugin, of a tool, of a hook point: as data. */
import type { NamedPlugin } from '@treblehook/host';
import { namedBy } from '@treblehook/plugin-tool-policy';
import { matchName, type PlanRow, type PointDescription } from '@treblehook/types';
import { listed, type ListedPlugin } from '../plugin/list.js';
import { faultText, type World } from './world.js';

export interface Seat {
  readonly hook: string;
  readonly model: PointDescription['model'];
  /** From 1. */
  readonly position: number;
  readonly of: number;
  readonly row: PlanRow;
}

export interface PluginTold {
  readonly kind: 'plugin';
  readonly plugin: ListedPlugin;
  /** It is set up, and what it registered stands. */
  readonly isStanding: boolean;
  readonly failed?: string;
  readonly seats: readonly Seat[];
  readonly tools: readonly string[];
  /** Ids of the personalities that do not list it: it is silent there. */
  readonly silencedFor: readonly string[];
}

export interface ToolTold {
  readonly kind: 'tool';
  readonly name: string;
  readonly source: string;
  readonly digest: string;
  readonly description: string;
  readonly offeredBy: readonly string[];
  /** Layers of policy, the operator's first, and the first rule of each that names it. */
  readonly policy: readonly { readonly layer: string; readonly namedBy?: string }[];
  /** Handlers that may change or refuse a call of it, or change its result, as the first personality. */
  readonly amends: readonly string[];
  readonly guards: readonly string[];
  readonly changesResults: readonly string[];
}

export interface HookTold {
  readonly kind: 'hook';
  readonly point: PointDescription;
  /** Ids of handlers that are silent for each personality. */
  readonly silenced: Readonly<Record<string, readonly string[]>>;
}

export type Part = PluginTold | ToolTold | HookTold;

const lists = (plugins: readonly string[] | undefined, owner: string): boolean =>
  owner === 'host' || plugins?.includes(owner) === true;

/** All that is called so. */
export function partsOf(name: string, world: World): readonly Part[] {
  const { report, tools, points } = world;
  return [
    ...report.plugins.filter(({ id, named }) => name === id || name === named).map((one) => pluginTold(one, world)),
    ...tools.filter((tool) => tool.name === name).map((tool) => toolTold(tool, world)),
    ...points.filter((point) => point.name === name || point.aka.includes(name)).map((point) => hookTold(point, world)),
  ];
}

/** All names that could have been meant. */
export const namesIn = ({ report, tools, points }: World): readonly string[] => [
  ...report.plugins.map(({ id, named }) => id ?? named),
  ...tools.map((tool) => tool.name),
  ...points.flatMap((point) => [point.name, ...point.aka]),
];

function pluginTold(plugin: NamedPlugin, { points, tools, personalities, failed, standing }: World): PluginTold {
  const { id = '' } = plugin;
  const fault = failed.get(id);
  return {
    kind: 'plugin',
    plugin: listed(plugin),
    isStanding: standing.includes(id),
    ...(fault !== undefined && { failed: faultText(fault) }),
    seats: points.flatMap(({ name, model, plan }) =>
      plan.flatMap((row, at) =>
        row.owner === id ? [{ hook: name, model, position: at + 1, of: plan.length, row }] : [],
      ),
    ),
    tools: tools.filter(({ source }) => source === `plugin:${id}`).map((tool) => tool.name),
    silencedFor: personalities.filter(({ plugins }) => !plugins?.includes(id)).map((one) => one.id),
  };
}

function toolTold(tool: World['tools'][number], { points, personalities, layers }: World): ToolTold {
  const { name, source, digest, description } = tool;
  const [first] = personalities;
  const handlers = (hook: string): readonly string[] =>
    points
      .filter((point) => point.name === hook)
      .flatMap(({ plan }) => plan.filter(({ owner }) => lists(first!.plugins, owner)).map(({ id }) => id));
  return {
    kind: 'tool',
    name,
    source,
    digest,
    description,
    offeredBy: personalities
      .filter(({ tools, plugins }) => {
        const isListed = !source.startsWith('plugin:') || lists(plugins, source.slice('plugin:'.length));
        return isListed && (tools === undefined || tools.some((glob) => matchName(glob, name)));
      })
      .map(({ id }) => id),
    policy: layers.map(({ name: layer = 'operator', policy }) => {
      const rule = namedBy(policy, tool, first!.id);
      return { layer, ...(rule !== undefined && { namedBy: rule }) };
    }),
    amends: handlers('beforeTool'),
    guards: handlers('toolPolicy'),
    changesResults: handlers('afterTool'),
  };
}

function hookTold(point: PointDescription, { personalities }: World): HookTold {
  const silenced = personalities.map(({ id, plugins }) => [
    id,
    point.plan.filter(({ owner }) => !lists(plugins, owner)).map((row) => row.id),
  ]);
  return { kind: 'hook', point, silenced: Object.fromEntries(silenced) as HookTold['silenced'] };
}
