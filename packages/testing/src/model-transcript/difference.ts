/** What differs between two requests, line by line, so that a person sees it. */
import type { JsonValue } from '@treblehook/types';

const mostLines = 12;
const mostChars = 160;

/** One line per place, `prompt[2].content[0].text: "a" before, "b" now`; keys of these names count nowhere. */
export function differences(before: JsonValue, now: JsonValue, ignore: ReadonlySet<string>): readonly string[] {
  const lines: string[] = [];
  const walk = (old: JsonValue | undefined, fresh: JsonValue | undefined, at: string): void => {
    if (isObject(old) && isObject(fresh)) {
      for (const key of new Set([...Object.keys(old), ...Object.keys(fresh)])) {
        if (!ignore.has(key)) walk(ownOf(old, key), ownOf(fresh, key), at === '' ? key : `${at}.${key}`);
      }
      return;
    }
    if (Array.isArray(old) && Array.isArray(fresh)) {
      const [left, right] = [old as readonly JsonValue[], fresh as readonly JsonValue[]];
      for (let index = 0; index < Math.max(left.length, right.length); index++) {
        walk(left[index], right[index], `${at}[${index}]`);
      }
      return;
    }
    if (old !== fresh) lines.push(`${at}: ${spelled(old, fresh)} before, ${spelled(fresh, old)} now`);
  };
  walk(before, now, '');
  if (lines.length <= mostLines) return lines;
  return [...lines.slice(0, mostLines), `and ${lines.length - mostLines} more`];
}

const isObject = (value: JsonValue | undefined): value is Readonly<Record<string, JsonValue>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const ownOf = (of: Readonly<Record<string, JsonValue>>, key: string): JsonValue | undefined =>
  Object.hasOwn(of, key) ? of[key] : undefined;

/** Of two long texts the part where they part. */
function spelled(value: JsonValue | undefined, other: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  let from = 0;
  if (typeof value === 'string' && typeof other === 'string' && value.length > mostChars) {
    while (value[from] === other[from] && from < value.length) from++;
    from = Math.max(0, from - 40);
  }
  const text = JSON.stringify(typeof value === 'string' ? value.slice(from) : value);
  const cut = text.length > mostChars ? `${text.slice(0, mostChars)} …` : text;
  return from === 0 ? cut : `… ${cut}`;
}
