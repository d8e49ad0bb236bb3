/** What a piece of work leaves behind in its process: timers, sockets, watchers, listeners; and where they were made. */
import { createHook } from 'node:async_hooks';

interface Made {
  readonly kind: string;
  readonly resource: { readonly hasRef?: () => boolean };
  readonly place: string | undefined;
}
type Counts = ReadonlyMap<string, number>;

/** Handles of the process by kind, timers apart: one that is over would hide one that stays. */
function handles(): Counts {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (kind !== 'Timeout' && kind !== 'Immediate') counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}
const listeners = (): Counts =>
  new Map(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));

/** What there is beyond `before`. */
const beyond = (before: Counts, now: Counts): readonly (readonly [name: string, count: number])[] =>
  [...now].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const).filter(([, count]) => count > 0);

/**
 * Does the work, then waits until nothing more is there than before, for `settleMs` at most. Gives one line per kind of
 * what stays. Timers that were unreferenced keep no process alive, and do not count.
 */
export async function leftBehind(work: () => Promise<void>, settleMs: number): Promise<readonly string[]> {
  const made = new Map<number, Made>();
  const watch = createHook({
    init(id, kind, _, resource) {
      if (kind !== 'PROMISE' && kind !== 'TickObject') made.set(id, { kind, resource, place: placeOf() });
    },
    destroy: (id) => void made.delete(id),
  });
  await quiet();
  const before = { handles: handles(), listeners: listeners() };
  watch.enable();
  try {
    await work();
    const end = performance.now() + settleMs;
    for (;;) {
      await quiet();
      const timers = [...made.values()].filter(({ kind, resource }) => kind === 'Timeout' && resource.hasRef?.());
      const open = beyond(before.handles, handles());
      const heard = beyond(before.listeners, listeners());
      if (timers.length + open.length + heard.length === 0) return [];
      if (performance.now() < end) continue;
      return [
        ...(timers.length > 0 ? [`${counted(timers.length, 'timer')}${madeAt(timers)}`] : []),
        ...open.map(([kind, count]) => `${count} ${kind}${madeAt(ofKind(made, kind))}`),
        ...heard.map(([name, count]) => `${counted(count, 'listener')} of process '${name}'`),
      ];
    }
  } finally {
    watch.disable();
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
const ofKind = (made: ReadonlyMap<number, Made>, kind: string): readonly Made[] =>
  [...made.values()].filter((one) => one.kind.toLowerCase() === kind.toLowerCase());

function madeAt(made: readonly Made[]): string {
  const places = [...new Set(made.flatMap(({ place }) => place ?? []))];
  return places.length === 0 ? '' : ` (made at ${places.slice(0, 3).join(', ')})`;
}

/** Frames of Node, and of the packages that a plugin is run by. */
const foreign =
  /node:|[/\\](?:packages|@treblehook)[/\\](?:plugins[/\\])?[\w-]+[/\\](?:src|dist)[/\\]|node_modules[/\\]/;

/** The nearest frame of somebody else's: `file:line`. */
function placeOf(): string | undefined {
  const lines = new Error('where').stack?.split('\n').slice(1) ?? [];
  const line = lines.find((one) => /[/\\]/.test(one) && !foreign.test(one));
  return line === undefined
    ? undefined
    : /((?:file:\/\/)?[^\s()]+:\d+):\d+\)?$/.exec(line)?.[1]?.replace('file://', '');
}

/** What is about to end has ended: immediates, closing handles, what a promise goes on with. */
async function quiet(): Promise<void> {
  for (let at = 0; at < 4; at++) await new Promise((resolve) => setImmediate(resolve));
}
