/** Settings read from a file or given in code: a cursor that refuses a wrong one with its place and the mend. */
import { HookError } from './errors.js';
import type { JsonValue } from './json.js';
import { didYouMean } from './nearest-name.js';
import { isPlainObject } from './plain-object.js';

export type SettingPath = readonly (string | number)[];
/** Where a path stands: the file, and the place in it (`:4:7`) or the path (` at rules[0].reason`). */
export type Locate = (path: SettingPath, part: 'key' | 'value') => { readonly file: string; readonly at: string };

/** Locates settings that were given in code and stand in no file. */
export const givenInline =
  (name: string): Locate =>
  (path) => ({ file: name, at: path.length === 0 ? '' : ` at ${spellPath(path)}` });

/** `['rules', 0, 'when', '/a']` as `rules[0].when./a`. */
function spellPath(path: SettingPath): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  );
}

/** How deep a setting may nest: as deep as sealed arguments may. */
const maxDepth = 256;

/**
 * One value among settings, and where it stands. Each reader throws `TH_CONFIG_INVALID`. Frozen, class and prototype, and
 * an heir of nothing: who could patch a reader could take the rules out of a policy.
 */
export class Setting {
  constructor(
    readonly value: unknown,
    readonly locate: Locate,
    readonly path: SettingPath = [],
  ) {}

  /** `what` says the fault and the mend. */
  refuse(what: string, part: 'key' | 'value' = 'value'): never {
    throw new HookError('TH_CONFIG_INVALID', { ...this.locate(this.path, part), what, path: this.path });
  }

  /** The name of the place, for messages. */
  get name(): string {
    return this.path.length === 0 ? 'the whole' : `'${spellPath(this.path)}'`;
  }

  /** What stands under an own key; an inherited one is nobody's setting. */
  child(step: string | number): Setting {
    const whole = this.value as Record<string | number, unknown>;
    return new Setting(Object.hasOwn(whole, step) ? whole[step] : undefined, this.locate, [...this.path, step]);
  }

  /** Every key of a map, whatever its name. */
  entries(): readonly (readonly [string, Setting])[] {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return this.refuse(`${this.name} is ${kindOf(value)}: write a map`);
    }
    return Object.keys(value).map((key) => [key, this.child(key)] as const);
  }

  /** A map of known keys; keys without a value count as missing. An unknown key is refused with the nearest one. */
  fields<K extends string>(known: readonly K[]): { readonly [P in K]?: Setting } {
    const fields: { [P in K]?: Setting } = Object.create(null);
    for (const [key, field] of this.entries()) {
      if (!known.includes(key as K)) {
        field.refuse(`there is no '${key}' here: ${didYouMean(key, known) ?? `use one of ${known.join(', ')}`}`, 'key');
      }
      if (field.value !== undefined) fields[key as K] = field;
    }
    return fields;
  }

  /** Refuses the map for a key that it lacks. */
  lacks(key: string, mend: string): never {
    const where = this.path.length === 0 ? '' : ` in '${spellPath(this.path)}'`;
    return this.refuse(`'${key}' is missing${where}: ${mend}`);
  }

  items(): readonly Setting[] {
    if (!Array.isArray(this.value)) return this.refuse(`${this.name} is ${kindOf(this.value)}: write a list`);
    return Array.from(this.value, (_, at) => this.child(at));
  }

  /** A text with something in it. */
  text(): string {
    const { value } = this;
    if (typeof value !== 'string') return this.refuse(`${this.name} is ${kindOf(value)}: write a text`);
    if (value.trim() === '') return this.refuse(`${this.name} is empty: write a text`);
    return value;
  }

  /** One text, or a list of them; each with its place. */
  texts(): readonly Setting[] {
    const all = Array.isArray(this.value) ? this.items() : [this];
    if (all.length === 0) this.refuse(`${this.name} is an empty list: write at least one text`);
    for (const one of all) one.text();
    return all;
  }

  /** Plain JSON, copied and frozen. */
  json(depth = 0): JsonValue {
    const { value } = this;
    if (depth > maxDepth) return this.refuse(`${this.name} nests deeper than ${maxDepth} levels, or contains itself`);
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (Array.isArray(value)) return Object.freeze(this.items().map((item) => item.json(depth + 1)));
    if (typeof value === 'object' && isPlainObject(value)) {
      const copy: Record<string, JsonValue> = Object.create(null);
      for (const [key, field] of this.entries()) {
        if (key === '__proto__') field.refuse("'__proto__' cannot be a key here: use another name", 'key');
        copy[key] = field.json(depth + 1);
      }
      return Object.freeze(copy);
    }
    return this.refuse(`${this.name} is ${kindOf(value)}: write plain JSON`);
  }
}
Object.setPrototypeOf(Setting.prototype, null);
Object.freeze(Setting.prototype);
Object.freeze(Setting);

/** What a value is, in words. */
function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return isPlainObject(value) ? 'a map' : 'an object of a class';
  if (typeof value === 'string') return 'a text';
  return `a ${typeof value}`;
}
