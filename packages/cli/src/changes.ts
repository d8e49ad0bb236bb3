/** What an amendment changes, in words: `messages 41 → 7`, `model a → b`. */
import type { HookPoint } from '@treblehook/types';
import { cut } from './table.js';

type View = Readonly<Record<string, unknown>>;

/** Characters of a value that is quoted. */
const shown = 60;

/** One phrase for each key of the amendment, against the payload as the handler saw it. */
export function changesOf(point: Pick<HookPoint, 'collect'>, before: View, amendment: View): string[] {
  return Object.keys(amendment).map((key) => {
    const [was, is] = [before[key], amendment[key]];
    if (point.collect.includes(key)) return `${key} +${(is as readonly unknown[]).length}`;
    if (Array.isArray(is) && Array.isArray(was)) return listChange(key, was, is);
    if (was === is) return `${key} set to ${quote(is)}, which it was already`;
    if (was === undefined) return `${key} ${quote(is)}`;
    return `${key} ${quote(was)} → ${quote(is)}`;
  });
}

function listChange(key: string, was: readonly unknown[], is: readonly unknown[]): string {
  if (was.length !== is.length) return `${key} ${was.length} → ${is.length}`;
  const others = is.filter((item, at) => item !== was[at]).length;
  return `${key} ${is.length}, ${others} of them rewritten`;
}

function quote(value: unknown): string {
  if (Array.isArray(value)) return `${value.length}`;
  return cut(typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value)), shown);
}
