/** Faults of the written order: entries that nobody sits on, handlers that wait for one another. */
import type { HookError } from '@treblehook/types';
import { append } from './frozen.js';
import { namesOf, type Point, type Whereabouts } from './point.js';

/** The faults of some points; where a name that is missing sits instead is looked for on all of them. */
export function faultsOf(points: Iterable<Point>, all: ReadonlyMap<string, Point>): readonly HookError[] {
  let known: Whereabouts | undefined;
  const seatedOn = (): Whereabouts => (known ??= whereabouts(all));
  return [...points].flatMap((point) => [...point.faults(seatedOn)]);
}

/** Which fault it is; the message may change with what else is registered. */
export const nameOfFault = ({ code, hook, details }: HookError): string =>
  JSON.stringify([code, hook, details['id'], details['ids']]);

function whereabouts(all: ReadonlyMap<string, Point>): Whereabouts {
  const seatedOn = new Map<string, string[]>();
  for (const { name: hook, live } of all.values()) {
    for (const name of new Set([...live.values()].flatMap(namesOf))) {
      const points = seatedOn.get(name);
      if (points === undefined) seatedOn.set(name, [hook]);
      else append(points, hook);
    }
  }
  return seatedOn;
}
