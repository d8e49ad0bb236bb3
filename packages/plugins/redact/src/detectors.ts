/** The detectors by their names, and what a set of them finds in a text. */
import { assignments } from './assignments.js';
import type { Detector } from './detector.js';
import { privateKeys } from './private-keys.js';
import { united, type Span } from './spans.js';
import { tokenDetectors } from './tokens.js';
import { viewsOf } from './views.js';

/** What knows most of what it finds stands first: it names a secret that another one finds, too. */
export const detectors: readonly Detector[] = [privateKeys, ...tokenDetectors, assignments];

/** Every secret that they find, escapes read; ascending, none over another. Linear in the text. */
export function secretsIn(text: string, by: readonly Detector[]): readonly Span[] {
  if (text.length < 4) return [];
  return united(
    viewsOf(text).flatMap(({ text: view, places }) =>
      by.flatMap(({ name, find }) => {
        const spans: Span[] = [];
        find(view, (from, to) => {
          const [first, last] = places === undefined ? [from, to] : [places[from]!, places[to]!];
          spans.push({ from: first, to: last, kind: name, secret: view.slice(from, to) });
        });
        return spans;
      }),
    ),
  );
}

/** A secret that goes over more ends than this is seen in the whole alone, where its neighbours may hide it. */
const widest = 3;

/** Of texts that stand one behind the other: in the whole, in each of them, and in those that are neighbours. */
export function secretsAcross(texts: readonly string[], by: readonly Detector[]): readonly Span[] {
  if (texts.length === 1) return secretsIn(texts[0]!, by);
  const spans = [...secretsIn(texts.join(''), by)];
  for (let width = Math.min(widest, texts.length - 1); width > 0; width--) {
    for (let at = 0, start = 0; at + width <= texts.length; start += texts[at++]!.length) {
      for (const span of secretsIn(texts.slice(at, at + width).join(''), by)) {
        spans.push({ ...span, from: span.from + start, to: span.to + start });
      }
    }
  }
  return united(spans);
}
