/** The state in a store: read once, written behind each call, one write at a time. */
import { textOf } from '@treblehook/types';
import type { BudgetState } from './accounts.js';

export interface BudgetStore {
  /** `undefined`: nothing is kept yet. */
  readonly load: () => BudgetState | undefined | PromiseLike<BudgetState | undefined>;
  /** Replaces what is kept. Never called while an earlier call is in hand. */
  readonly save: (state: BudgetState) => void | PromiseLike<void>;
}

export interface KeeperParts {
  readonly store: BudgetStore;
  readonly state: () => BudgetState;
  /** Throws for what is no state. */
  readonly restore: (state: unknown) => void;
  /** Told each fault, once until it is over. */
  readonly onFault: (what: string) => void;
  /** `open`: a fault stops nobody. */
  readonly isOpen: boolean;
}

export class Keeper {
  readonly #parts: KeeperParts;
  #isRead = false;
  #reading: Promise<void> | undefined;
  #writing: Promise<void> | undefined;
  #isDirty = false;
  #fault: string | undefined;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    void this.#read();
  }

  /** Waits for what is in hand; a fault is tried again. What it is, if it stands and the budget is to close. */
  async faultNow(): Promise<string | undefined> {
    await this.#read();
    if (this.#parts.isOpen) return undefined;
    await this.#writing;
    if (this.#isRead && this.#fault !== undefined) await this.#write();
    return this.#fault;
  }

  /** The state is another one. */
  changed(): void {
    if (this.#isRead) void this.#write();
  }

  /** Resolves when all is written, or cannot be. */
  async end(): Promise<void> {
    await this.#writing;
  }

  #read(): Promise<void> | undefined {
    if (this.#isRead) return undefined;
    this.#reading ??= this.#readNow().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readNow(): Promise<void> {
    const { store, restore, isOpen } = this.#parts;
    try {
      const state = await store.load();
      if (state !== undefined && state !== null) restore(state);
      this.#isRead = true;
      this.#fault = undefined;
    } catch (error) {
      this.#isRead = isOpen;
      this.#failed(`the budget's store cannot be read: ${textOf(error)}`);
    }
  }

  async #write(): Promise<void> {
    this.#isDirty = true;
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#isDirty) {
      this.#isDirty = false;
      try {
        await this.#parts.store.save(this.#parts.state());
        this.#fault = undefined;
      } catch (error) {
        this.#failed(`the budget's store cannot be written: ${textOf(error)}`);
      }
    }
  }

  #failed(what: string): void {
    if (this.#fault === undefined) this.#parts.onFault(what);
    this.#fault = what;
  }
}
