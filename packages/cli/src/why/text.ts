/** What is told of a part, as one screen. */
import type { PlanRow } from '@treblehook/types';
import { stateText } from '../plugin/list.js';
import { pointTable, type PlanStyle } from '../plan-table.js';
import { safe } from '../trust/item-text.js';
import type { HookTold, Part, PluginTold, ToolTold } from './parts.js';

/** `personalities`: ids, the one that a run would be first. */
export function partLines(part: Part, personalities: readonly string[], style: PlanStyle): readonly string[] {
  if (part.kind === 'hook') return hookLines(part, personalities, style);
  const [title = '', ...lines] = part.kind === 'plugin' ? pluginLines(part) : toolLines(part);
  return [style.title(safe(title)), ...lines.map(safe)];
}

const list = (names: readonly string[], none = 'nobody'): string => (names.length === 0 ? none : names.join(', '));

function pluginLines({ plugin, isStanding, failed, seats, tools, silencedFor }: PluginTold): readonly string[] {
  const { id, named, version, root, state, listedBy, fault, kind } = plugin;
  const why = fault?.message ?? failed;
  return [
    `plugin ${id ?? named}${version === undefined ? '' : ` ${version}`}: ${stateText(state)}${isStanding ? ', set up' : ''}`,
    ...(root === undefined ? [] : [`from ${root} (${kind})`]),
    ...(why === undefined ? [] : [`does not stand: ${why}`]),
    `listed by ${list(listedBy)}; silent for ${list(silencedFor)}`,
    ...seats.map(
      ({ hook, model, position, of, row }) =>
        `${hook} (${model}): ${row.id} is ${position} of ${of}, ${placeText(row)}; on a fault ${row.onError}`,
    ),
    ...(isStanding && seats.length === 0 ? ['it sits on no hook point'] : []),
    ...(isStanding || tools.length > 0 ? [`tools: ${list(tools, 'none')}`] : []),
  ];
}

function placeText({ why, edges, locks }: PlanRow): string {
  const placed = [why, ...edges.map(({ kind, id, state }) => `${kind} ${id} (${state})`)].join('; ');
  return locks.length === 0 ? placed : `${placed}; locks ${locks.join(', ')}`;
}

function toolLines(tool: ToolTold): readonly string[] {
  const { name, source, digest, description, offeredBy, policy, amends, guards, changesResults } = tool;
  const rules = policy.map(
    ({ layer, namedBy }) => `${layer}: ${namedBy === undefined ? 'no rule' : `rule ${namedBy}`}`,
  );
  return [
    `tool ${name}: of ${source}, digest ${digest.slice(0, 12)}`,
    description,
    `personalities that may offer it: ${list(offeredBy)}`,
    `policy that names it: ${rules.length === 0 ? 'there is no policy' : rules.join('; ')}`,
    `may change its arguments, or refuse it: ${list(amends)}`,
    `may deny it, or ask about it: ${list(guards)}`,
    `may change its result: ${list(changesResults)}`,
  ];
}

function hookLines(
  { point, silenced }: HookTold,
  personalities: readonly string[],
  style: PlanStyle,
): readonly string[] {
  return [
    ...pointTable(point, style),
    ...personalities.map((id) => safe(`personality ${id}: silent are ${list(silenced[id] ?? [], 'none')}`)),
  ];
}
