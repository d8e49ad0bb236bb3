/** Where a history is cut: what is kept verbatim, what a summary replaces, which tail stays. */
import type { Message } from '@treblehook/types';
import type { Unit } from './units.js';

export interface CutLimits {
  readonly maxTokens: number;
  /** Tokens of the tail; the current turn may have more while it fits. */
  readonly keepTail: number;
  /** Tokens that the summary will take, as far as known. */
  readonly summary: number;
  /** Tokens of what cannot be dropped: front system text, tools, injected messages. */
  readonly fixed: number;
}

export interface Cut {
  /** System and pinned messages of the dropped span, in order. */
  readonly kept: readonly Message[];
  /** In order; an earlier summary is among them. */
  readonly dropping: readonly Message[];
  readonly tail: readonly Message[];
}

/**
 * The tail begins at a user turn and holds the current turn. A current turn that does not fit loses its older tool
 * groups, never its prompt and never its newest group. `undefined`: nothing would be gained. Linear.
 *
 * @param isCurrent whether a user message belongs to the current prompt
 */
export function cutOf(
  units: readonly Unit[],
  tokensOf: (messages: readonly Message[]) => number,
  isCurrent: (message: Message) => boolean,
  limits: CutLimits,
): Cut | undefined {
  const tokens = units.map((unit) => tokensOf(unit.messages));
  const prompts = units.map((unit) => unit.kind === 'user' && unit.messages.some(isCurrent));
  const first = Math.max(0, prompts.indexOf(true));
  /** Tokens from a unit on, summaries left out: they are folded in wherever they stand. */
  const from = suffixSums(units, tokens, (unit) => unit.kind !== 'summary');
  /** Of these, what is pinned: it is kept on either side of the cut. */
  const pinned = suffixSums(units, tokens, (unit) => unit.pinned);
  const room = limits.maxTokens - limits.fixed - limits.summary;
  const fits = (start: number): boolean => pinned[0]! - pinned[start]! + from[start]! <= room;

  let start = first;
  for (let at = first - 1; at >= 0; at--) {
    if (from[at]! > limits.keepTail || !fits(at)) break;
    if (units[at]!.kind === 'user' && units[at - 1]?.kind !== 'user') start = at;
  }

  const keep = units.map((unit, at) => at >= start && unit.kind !== 'summary');
  if (!fits(start)) {
    let left = Math.min(limits.keepTail, room - pinned[0]!);
    for (const [at, isPrompt] of prompts.entries()) if (isPrompt && !units[at]!.pinned) left -= tokens[at]!;
    let newest = true;
    let open = true;
    for (let at = units.length - 1; at >= start; at--) {
      const unit = units[at]!;
      if (unit.pinned || prompts[at] || unit.kind === 'summary') continue;
      left -= tokens[at]!;
      open &&= newest || left >= 0;
      newest = false;
      keep[at] = open;
    }
  }

  const cut = { kept: [] as Message[], dropping: [] as Message[], tail: [] as Message[] };
  let dropsMore = false;
  let summaries = 0;
  for (const [at, unit] of units.entries()) {
    const side = keep[at] ? cut.tail : unit.pinned ? (at < start ? cut.kept : cut.tail) : cut.dropping;
    side.push(...unit.messages);
    if (side !== cut.dropping) continue;
    if (unit.kind === 'summary') summaries += tokens[at]!;
    else dropsMore = true;
  }
  return dropsMore || summaries > limits.summary ? cut : undefined;
}

function suffixSums(units: readonly Unit[], tokens: readonly number[], counts: (unit: Unit) => boolean): number[] {
  const sums = Array.from({ length: units.length + 1 }, () => 0);
  for (let at = units.length - 1; at >= 0; at--) sums[at] = sums[at + 1]! + (counts(units[at]!) ? tokens[at]! : 0);
  return sums;
}
