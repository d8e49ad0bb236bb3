/** State by a name that ends some day: the one that was asked least recently is forgotten when there are too many. */

const most = 1000;

export class Recent<T> {
  readonly #make: () => T;
  readonly #all = new Map<string, T>();

  constructor(make: () => T) {
    this.#make = make;
  }

  of(name: string): T {
    const one = this.#all.get(name) ?? this.#make();
    this.#all.delete(name);
    this.#all.set(name, one);
    const [oldest] = this.#all.keys();
    if (this.#all.size > most) this.#all.delete(oldest!);
    return one;
  }

  known(name: string): T | undefined {
    return this.#all.get(name);
  }

  forget(name: string): void {
    this.#all.delete(name);
  }
}
