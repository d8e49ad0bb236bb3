/** The messages of a conversation with their running state: what is frozen, and how it stands on the wire. */
import { adopt, append, closeClass, frozen } from '@treblehook/core';
import type { Message, ModelMessage } from '@treblehook/types';
import type { Ids } from './contract.js';
import { WireHistory } from './wire.js';

export class Transcript {
  readonly #messages: Message[];
  readonly #wire = new WireHistory();
  #list: readonly Message[] | undefined;

  /** Takes marked messages. */
  constructor(messages: readonly Message[] = []) {
    this.#messages = messages.slice();
  }

  append(message: Message): void {
    append(this.#messages, message);
    this.#list = undefined;
  }

  /** As one frozen list; the same one until something is added. */
  list(): readonly Message[] {
    return (this.#list ??= adopt(this.#messages.slice()));
  }

  /** As one frozen list behind a front message. */
  behind(front: Message | undefined): readonly Message[] {
    return front === undefined ? this.list() : adopt([front].concat(this.#messages));
  }

  /** The wire form; only what was added since the last call is converted. */
  wire(isV4: boolean): readonly ModelMessage[] {
    return this.#wire.of(this.#messages, isV4);
  }
}

closeClass(Transcript);

/** The message frozen and marked, with an id. */
export function withId(message: Message, ids: Ids): Message {
  if (message.id !== undefined) return frozen(message);
  const { role, content, pinned } = message;
  return adopt({ id: ids('message'), role, content: frozen(content), ...(pinned === undefined ? {} : { pinned }) });
}
