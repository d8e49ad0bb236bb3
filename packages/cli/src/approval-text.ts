/** A request as a person reads it before they answer: all of it, and nothing in it that a terminal would hide. */
import { ruleName } from '@treblehook/plugin-tool-policy';
import { approvalOf, type ApprovalData, type Request } from '@treblehook/types';
import { effectLines, type Screen } from './effects-text.js';
import type { CallEffects } from './effects.js';
import { oneLine } from './io.js';
import { unseen, visible } from './visible.js';

/** Enough of a digest to compare it by eye. */
export const shortDigest = (digest: string): string => digest.slice(0, 12);

/** JSON as it can be edited on a terminal: what would not be seen there is escaped in it. */
export const escaped = (json: string): string =>
  json.replaceAll(/[\u007F-\u009F]/g, byUnits).replaceAll(unseen, byUnits);
const byUnits = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => `\\u${hex(character, at)}`).join('');
const hex = (text: string, at: number): string => text.charCodeAt(at).toString(16).padStart(4, '0');

/** What a yes for the session is for: these arguments of this tool, and what was asked about them. */
export const rangeText = ({ tool, digest, asks }: ApprovalData): string =>
  oneLine(
    visible(
      `${tool.name}, digest ${shortDigest(digest)}, for ${asks
        .map(
          ({ guard, rule, question }) => `${guard}, ${rule === undefined ? `"${question}"` : `rule ${ruleName(rule)}`}`,
        )
        .join('; ')}`,
    ),
  );

/** `lead > clerk`: the agents from the root to the child that asks; `undefined` when the root asks itself. */
export const pathText = ({ path }: Pick<Request, 'path'>): string | undefined => path && visible(path.join(' > '));

/** The call, whole, what it would do, and who asks, on which way; or the question of a tool or a stage. */
export function requestLines(request: Request, effects?: CallEffects, screen: Screen = {}): readonly string[] {
  const way = pathText(request);
  const does = effects === undefined ? [] : effectLines(effects, screen);
  return [...(way === undefined ? [] : [`asked on the way ${way}`]), ...questionLines(request, does)];
}

function questionLines(request: Request, does: readonly string[]): readonly string[] {
  const approval = approvalOf(request);
  const { prompt, url, data, expiresAt } = request;
  const until = expiresAt === undefined ? [] : [`until ${new Date(expiresAt).toISOString()}`];
  if (approval === undefined) {
    const given = data === undefined ? [] : textLines(JSON.stringify(data, undefined, 2));
    return [...textLines(prompt), ...(url === undefined ? [] : [visible(url)]), ...given, ...until];
  }
  const { tool, args, digest, asks } = approval;
  return [
    `${visible(tool.name)} (${visible(tool.source)}), digest ${shortDigest(digest)}`,
    ...textLines(JSON.stringify(args, undefined, 2)),
    ...does,
    ...asks.flatMap(({ guard, rule, question }) =>
      textLines(`${guard}${rule === undefined ? '' : `, rule ${ruleName(rule)}`} asks: ${question}`),
    ),
    ...until,
  ];
}

const textLines = (text: string): readonly string[] => text.split('\n').map(visible);
