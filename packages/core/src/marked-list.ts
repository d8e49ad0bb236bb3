/** A list that grows, and is given out frozen and marked again and again without being walked. */
import { closeClass } from './closed-class.js';
import { assertFrozen } from './door.js';
import { append, mark } from './frozen.js';

export class MarkedList<T> {
  /** Nobody outside ever holds it. The first place is kept free for a front item, so that a copy has room for one. */
  readonly #items: unknown[] = [undefined];
  #list: readonly T[] | undefined;

  get length(): number {
    return this.#items.length - 1;
  }

  at(index: number): T | undefined {
    return index >= 0 && index < this.length ? (this.#items[index + 1] as T) : undefined;
  }

  /** Throws `TH_PAYLOAD_INVALID` for plain data that `frozen` or `adopt` did not give. */
  append(item: T): void {
    append(this.#items, assertFrozen(item, this.length));
    this.#list = undefined;
  }

  /** All items; the same list until something is appended. */
  list(): readonly T[] {
    return (this.#list ??= mark(this.#items.slice(1) as T[]));
  }

  /** All items behind one more. */
  behind(front: T): readonly T[] {
    const items = this.#items.slice() as T[];
    items[0] = assertFrozen(front, 0);
    return mark(items);
  }
}
closeClass(MarkedList);
