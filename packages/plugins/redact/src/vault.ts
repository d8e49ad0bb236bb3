/** What is known of the secrets of one session, for as long as it is open: which placeholder is whose. */
import { randomBytes } from 'node:crypto';
import type { Message, Origin } from '@treblehook/types';
import type { Placeholder } from './placeholder.js';

/** Sessions that are open at once; the one that was asked least recently is forgotten beyond that. */
const maxSessions = 1000;

export class Vault {
  /** What became of each message: none is looked through twice. */
  readonly seen = new WeakMap<Message, Message>();
  readonly #placeholder: Placeholder;
  readonly #tag: string;
  readonly #numbers = new Map<string, Map<string, number>>();

  /** `tag` stands in front of each number: numbers of others, which are not known here, may stand in the same texts. */
  constructor(placeholder: Placeholder, tag: string) {
    this.#placeholder = placeholder;
    this.#tag = tag;
  }

  /** The same for the same secret. */
  placeholderOf(kind: string, secret: string): string {
    let numbers = this.#numbers.get(kind);
    if (numbers === undefined) this.#numbers.set(kind, (numbers = new Map()));
    let number = numbers.get(secret);
    if (number === undefined) numbers.set(secret, (number = numbers.size + 1));
    return this.#placeholder.spelled(kind, `${this.#tag}${number}`);
  }
}

export class Vaults {
  readonly #placeholder: Placeholder;
  readonly #bySession = new Map<string, Vault>();

  constructor(placeholder: Placeholder) {
    this.#placeholder = placeholder;
  }

  /** A session begins, and no placeholder stands anywhere in it. That of a task has a parent, which gets its words. */
  open({ sessionId, agentPath }: Pick<Origin, 'sessionId' | 'agentPath'>): void {
    this.#add(sessionId, agentPath.length === 1 ? '' : newTag());
  }

  of({ sessionId }: Pick<Origin, 'sessionId'>): Vault {
    const known = this.#bySession.get(sessionId);
    if (known === undefined) return this.#add(sessionId, newTag());
    this.#bySession.delete(sessionId);
    this.#bySession.set(sessionId, known);
    return known;
  }

  close({ sessionId }: Pick<Origin, 'sessionId'>): void {
    this.#bySession.delete(sessionId);
  }

  clear(): void {
    this.#bySession.clear();
  }

  #add(sessionId: string, tag: string): Vault {
    const vault = new Vault(this.#placeholder, tag);
    this.#bySession.set(sessionId, vault);
    const [oldest] = this.#bySession.keys();
    if (this.#bySession.size > maxSessions) this.#bySession.delete(oldest!);
    return vault;
  }
}

/** Six characters: two sessions whose texts meet do not have the same. */
const newTag = (): string => `${randomBytes(3).toString('hex')}.`;
