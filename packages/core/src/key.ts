/** The declared keys of a point's answers, each with what the point says of it. */
import type { FieldKind, HookPoint } from '@treblehook/types';

export interface Key {
  readonly name: string;
  /** Its place among the keys of its point. */
  readonly at: number;
  readonly kind: FieldKind;
  readonly isCollect: boolean;
  /** The collect key in whose place it stands. */
  readonly replaces: { readonly name: string; readonly at: number } | undefined;
  readonly isTerminal: boolean;
  readonly isHost: boolean;
}

export type Keys = ReadonlyMap<string, Key>;

export function keysOf({ keys, collect, replaces, terminal, hostKeys }: HookPoint): Keys {
  const names = Object.keys(keys);
  const replacedBy = (name: string): Key['replaces'] => {
    const other = Object.hasOwn(replaces, name) ? replaces[name] : undefined;
    return other === undefined ? undefined : Object.freeze({ name: other, at: names.indexOf(other) });
  };
  return new Map(
    Object.entries(keys).map(([name, kind], at) => [
      name,
      Object.freeze({
        name,
        at,
        kind,
        isCollect: collect.includes(name),
        replaces: replacedBy(name),
        isTerminal: terminal.includes(name),
        isHost: hostKeys.includes(name),
      }),
    ]),
  );
}
