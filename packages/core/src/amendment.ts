/** What one answer sets: declared keys with frozen values. One serves all stages of a fire, emptied between them. */
import { closeClass } from './closed-class.js';
import { append, put } from './frozen.js';
import type { Key } from './key.js';

export class Amendment {
  /** How many are set; what stands behind is left of earlier stages. */
  size = 0;
  readonly keys: Key[] = [];
  readonly values: unknown[] = [];

  add(key: Key, value: unknown): void {
    const at = this.size++;
    if (at < this.keys.length) {
      this.keys[at] = key; // its own: nobody's setter is asked
      this.values[at] = value;
    } else {
      append(this.keys, key);
      append(this.values, value);
    }
  }

  /** Drops the keys that `isDropped` names. */
  drop(isDropped: (key: Key, value: unknown) => boolean): void {
    const { size } = this;
    this.size = 0;
    for (let i = 0; i < size; i++) {
      const key = this.keys[i]!;
      const value = this.values[i];
      if (!isDropped(key, value)) this.add(key, value);
    }
  }

  toObject(): Record<string, unknown> {
    const set: Record<string, unknown> = {};
    for (let i = 0; i < this.size; i++) put(set, this.keys[i]!.name, this.values[i]);
    return set;
  }
}
closeClass(Amendment);
