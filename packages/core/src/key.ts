/** The declared keys of a point's answers, each with what the point says of it. */
import type { FieldKind, HookPoint } from '@treblehook/types';

export interface Key {
  readonly name: string;
  /** Its place among the keys of its point. */
  readonly at: number;
  readonly kind: FieldKind;
  readonly isCollect: boolean;
  readonly isTerminal: boolean;
  readonly isHost: boolean;
}

export type Keys = ReadonlyMap<string, Key>;

export function keysOf({ keys, collect, terminal, hostKeys }: HookPoint): Keys {
  return new Map(
    Object.entries(keys).map(([name, kind], at) => [
      name,
      Object.freeze({
        name,
        at,
        kind,
        isCollect: collect.includes(name),
        isTerminal: terminal.includes(name),
        isHost: hostKeys.includes(name),
      }),
    ]),
  );
}
