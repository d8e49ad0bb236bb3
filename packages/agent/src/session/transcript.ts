/** The messages of a conversation with their running state: what is frozen, and how it stands on the wire. */
import { adopt, closeClass, frozen, MarkedList } from '@treblehook/core';
import { ownFields, type Message, type ModelMessage } from '@treblehook/types';
import type { Ids } from '../contract.js';
import { WireHistory } from '../model/wire.js';

export class Transcript {
  readonly #messages = new MarkedList<Message>();
  readonly #wire = new WireHistory();

  /** Takes marked messages. */
  constructor(messages: readonly Message[] = []) {
    for (const message of messages) this.append(message);
  }

  append(message: Message): void {
    this.#messages.append(message);
  }

  /** As one frozen list; the same one until something is added. */
  list(): readonly Message[] {
    return this.#messages.list();
  }

  /** As one frozen list behind a front message. */
  behind(front: Message | undefined): readonly Message[] {
    return front === undefined ? this.list() : this.#messages.behind(front);
  }

  /** The wire form; only what was added since the last call is converted. */
  wire(isV4: boolean): readonly ModelMessage[] {
    return this.#wire.of(this.#messages, isV4);
  }
}

closeClass(Transcript);

/** The message frozen and marked, with an id. */
export function withId(message: Message, ids: Ids): Message {
  const { id, role, content, pinned } = ownFields(message);
  if (id !== undefined) return frozen(message);
  return adopt({ id: ids('message'), role, content: frozen(content), ...(pinned === undefined ? {} : { pinned }) });
}
