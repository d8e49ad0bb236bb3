/** Texts and JSON with a placeholder for each secret. What has none is given back as it is. */
import type { JsonValue } from '@treblehook/types';
import { isSecretField } from './assignments.js';
import type { Detector } from './detector.js';
import { secretsAcross } from './detectors.js';
import type { Placeholder } from './placeholder.js';
import { outside, replaced, type Span } from './spans.js';
import type { Vault } from './vault.js';

export interface Rules {
  readonly detectors: readonly Detector[];
  readonly placeholder: Placeholder;
  /** Whether what is under a name such as `password` in JSON is a secret. */
  readonly hasFields: boolean;
}

export class Masker {
  readonly #rules: Rules;
  readonly #vault: Vault;

  constructor(rules: Rules, vault: Vault) {
    this.#rules = rules;
    this.#vault = vault;
  }

  text(text: string): string {
    return this.texts([text])[0]!;
  }

  /** Texts that stand one behind the other: a secret may begin in one and end in another. */
  texts(texts: readonly string[]): readonly string[] {
    const { detectors, placeholder } = this.#rules;
    const found = secretsAcross(texts, detectors);
    if (found.length === 0) return texts;
    const whole = texts.length === 1 ? texts[0]! : texts.join('');
    return replaced(texts, outside(found, placeholder.placesIn(whole), whole), (span) => this.#say(span));
  }

  /** Values and keys. */
  json<T extends JsonValue | undefined>(value: T): T {
    return this.#json(value) as T;
  }

  #json(value: JsonValue | undefined, key?: string): JsonValue | undefined {
    if (typeof value === 'string') {
      const masked = this.text(value);
      if (masked !== value || key === undefined || !this.#rules.hasFields || !isSecretField(key, value)) return masked;
      const whole: Span = { from: 0, to: value.length, kind: 'assignment', secret: value };
      return replaced([value], outside([whole], this.#rules.placeholder.placesIn(value), value), (span) =>
        this.#say(span),
      )[0]!;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = (value as readonly JsonValue[]).map((item) => this.#json(item, key)!);
      return items.every((item, at) => item === (value as readonly JsonValue[])[at]) ? value : items;
    }
    let isSame = true;
    const entries = Object.entries(value).map(([name, field]): [string, JsonValue | undefined] => {
      const masked: [string, JsonValue | undefined] = [this.text(name), this.#json(field, name)];
      isSame &&= masked[0] === name && masked[1] === field;
      return masked;
    });
    return isSame ? value : Object.fromEntries(entries);
  }

  #say({ kind, secret }: Span): string {
    return this.#vault.placeholderOf(kind, secret);
  }
}
