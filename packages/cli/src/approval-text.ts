/** A request as a person reads it before they answer: all of it, and nothing in it that a terminal would hide. */
import { approvalOf, type ApprovalData, type Request } from '@treblehook/types';
import { oneLine, printable } from './io.js';

/** Enough of a digest to compare it by eye. */
export const shortDigest = (digest: string): string => digest.slice(0, 12);

/** Control characters, and those that have no width or turn the direction, are shown by their number. */
export const visible = (text: string): string =>
  printable(text).replaceAll(/[\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);

/** JSON as it can be edited on a terminal: what would not be seen there is escaped in it. */
export const escaped = (json: string): string =>
  json.replaceAll(/[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${hex(character, at)}`).join(''),
  );
const hex = (text: string, at: number): string => text.charCodeAt(at).toString(16).padStart(4, '0');

/** What a yes for the session is for: these arguments of this tool, and what was asked about them. */
export const rangeText = ({ tool, digest, asks }: ApprovalData): string =>
  visible(
    oneLine(
      `${tool.name}, digest ${shortDigest(digest)}, for ${asks
        .map(({ guard, rule, question }) => `${guard}, ${rule === undefined ? `"${question}"` : `rule ${rule}`}`)
        .join('; ')}`,
    ),
  );

/** `lead > clerk`: the agents from the root to the child that asks; `undefined` when the root asks itself. */
export const pathText = ({ path }: Pick<Request, 'path'>): string | undefined => path && visible(path.join(' > '));

/** The call, whole, and who asks, on which way; or the question of a tool or a stage. */
export function requestLines(request: Request): readonly string[] {
  const way = pathText(request);
  return [...(way === undefined ? [] : [`asked on the way ${way}`]), ...questionLines(request)];
}

function questionLines(request: Request): readonly string[] {
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
    ...asks.flatMap(({ guard, rule, question }) =>
      textLines(`${guard}${rule === undefined ? '' : `, rule ${rule}`} asks: ${question}`),
    ),
    ...until,
  ];
}

const textLines = (text: string): readonly string[] => text.split('\n').map(visible);
