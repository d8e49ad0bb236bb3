/** Spans of a text that hold secrets: joining those that meet, cutting others out, putting something in their place. */

/** From `from` to before `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface Span extends Range {
  /** Which detector found it. */
  readonly kind: string;
  /** The secret itself, its escapes read: what it is known by. */
  readonly secret: string;
}

/**
 * Spans that overlap become one, known by the one that stands first in `spans`: they are given in the order of how much
 * they know. Ascending.
 */
export function united(spans: readonly Span[]): readonly Span[] {
  if (spans.length < 2) return spans;
  const ranked = spans.map((span, rank) => ({ span, rank })).toSorted((a, b) => a.span.from - b.span.from);
  const all: Span[] = [];
  let best = ranked[0]!;
  let { from, to } = best.span;
  const close = (): void => void all.push({ from, to, kind: best.span.kind, secret: best.span.secret });
  for (const one of ranked.slice(1)) {
    if (one.span.from >= to) {
      close();
      best = one;
      ({ from, to } = one.span);
      continue;
    }
    if (one.rank < best.rank) best = one;
    if (one.span.to > to) to = one.span.to;
  }
  close();
  return all;
}

/** What is left of the spans outside of the ranges; both ascending, and neither overlaps itself. */
export function outside(spans: readonly Span[], ranges: readonly Range[], text: string): readonly Span[] {
  if (ranges.length === 0) return spans;
  const left: Span[] = [];
  let next = 0;
  for (const span of spans) {
    while (next < ranges.length && ranges[next]!.to <= span.from) next++;
    let { from } = span;
    const add = (to: number): void => {
      if (to <= from) return;
      const isWhole = from === span.from && to === span.to;
      left.push(isWhole ? span : { from, to, kind: span.kind, secret: text.slice(from, to) });
    };
    for (let at = next; at < ranges.length && ranges[at]!.from < span.to; at++) {
      add(ranges[at]!.from);
      from = Math.max(from, ranges[at]!.to);
    }
    add(span.to);
  }
  return left;
}

/**
 * The texts, which stand one behind the other, with `say` in place of each span of the whole: where a span goes over the
 * end of a text, it is said in the first one.
 */
export function replaced(
  texts: readonly string[],
  spans: readonly Span[],
  say: (span: Span) => string,
): readonly string[] {
  if (spans.length === 0) return texts;
  let start = 0;
  let next = 0;
  return texts.map((text) => {
    const end = start + text.length;
    let out = '';
    let at = start;
    for (; next < spans.length && spans[next]!.from < end; next++) {
      const span = spans[next]!;
      if (span.from >= start) out += text.slice(at - start, span.from - start) + say(span);
      at = Math.min(span.to, end);
      if (span.to > end) break; // the rest of it stands in the next text
    }
    out += text.slice(at - start);
    start = end;
    return out;
  });
}
