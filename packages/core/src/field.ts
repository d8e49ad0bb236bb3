/** One declared field of a payload, and the look at it on every fire. */
import { closeClass } from './closed-class.js';
import { article, isOfKind } from './answer.js';

export class Field {
  readonly name: string;
  readonly #kind: string;
  readonly #isOptional: boolean;
  /** What `typeof` says of it, where that is all there is to see. */
  readonly #type: string | undefined;
  readonly #isInherited: boolean;

  constructor(name: string, declared: string) {
    this.name = name;
    this.#isOptional = declared.endsWith('?');
    this.#kind = declared.replace('?', '');
    this.#type = ['string', 'number', 'boolean'].includes(this.#kind) ? this.#kind : undefined;
    this.#isInherited = name in Object.prototype;
  }

  /** What is wrong with it in a payload, or `undefined`. */
  faultIn(payload: Readonly<Record<string, unknown>>): string | undefined {
    const value = this.#isInherited && !Object.hasOwn(payload, this.name) ? undefined : payload[this.name];
    if (typeof value === this.#type) return undefined;
    if (value === undefined || value === null) {
      return this.#isOptional ? undefined : `the field '${this.name}' is missing`;
    }
    return isOfKind(value, this.#kind) ? undefined : `the field '${this.name}' must be ${article(this.#kind)}`;
  }
}
closeClass(Field);
