/** What stands in place of a secret, and how it is known again. */

/** `{kind}` is the detector, `{number}` counts the secrets of that kind in a session. */
export const defaultReplacement = '[secret:{kind}#{number}]';

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);

export class Placeholder {
  readonly #template: string;
  readonly #pattern: RegExp;

  constructor(template: string, kinds: readonly string[]) {
    this.#template = template;
    const source = escaped(template)
      .replaceAll(String.raw`\{kind\}`, `(?:${kinds.map(escaped).join('|')})`)
      .replaceAll(String.raw`\{number\}`, String.raw`(?:[a-z0-9]{6}\.)?\d{1,9}`);
    this.#pattern = new RegExp(source, 'g');
  }

  spelled(kind: string, number: string): string {
    return this.#template.split('{kind}').join(kind).split('{number}').join(number);
  }

  /** Where such stand in a text: they are no secrets. */
  placesIn(text: string): readonly { readonly from: number; readonly to: number }[] {
    return [...text.matchAll(this.#pattern)].map((match) => ({ from: match.index, to: match.index + match[0].length }));
  }
}
