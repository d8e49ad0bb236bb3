/** What a run leaves in its session: its messages, as they were said and as they are sent, and its records in the log. */
import { append, closeClass } from '@treblehook/core';
import type { Message, SessionRecord } from '@treblehook/types';
import type { Config } from '../config.js';
import type { SessionLog } from '../session/session-log.js';
import { Transcript, withId } from '../session/transcript.js';
import { Aborted } from './run-abort.js';

/** Of a run that has not begun: nothing is ever put into it. */
const noTranscript = new Transcript();

export abstract class RunRecords {
  abstract readonly id: string;
  readonly log: SessionLog;
  /** What a new log begins with, in front of its first run. */
  preface: readonly SessionRecord[] = [];
  /** What stands behind its first records in the log. */
  readonly early: SessionRecord[] = [];
  /** It has had its turn in the session and given it up. */
  hasLeft = false;
  /** It stands in the log. */
  isLogged = false;
  /** Calls of which the log has the start, and whose bodies were not begun when the run was suspended. */
  readonly unbegun = new Set<string>();
  /** A stage has replaced messages. */
  isRewritten = false;
  /** The front message, when there is a system text. */
  system: Message | undefined;
  /** The session's, with all that the run has added. */
  original = noTranscript;
  /** What requests are made of: the original, until a stage has replaced the messages. */
  working = this.original;
  readonly #ids: Config['ids'];

  constructor(log: SessionLog, ids: Config['ids']) {
    this.log = log;
    this.#ids = ids;
  }

  /** The run has its turn: what the session has so far. */
  protected startFrom(transcript: Transcript): void {
    this.original = transcript;
    this.working = transcript;
  }

  /** Makes records durable. A run that has left its session writes nothing more: it throws `Aborted`. */
  write(...records: SessionRecord[]): void | Promise<void> {
    if (this.hasLeft) throw new Aborted();
    return this.log.append(...records);
  }

  /** A model call that is no answer of the history counts also where the run goes on; its own record may not stand yet. */
  async logSpent(record: Extract<SessionRecord, { type: 'spent' }>): Promise<void> {
    if (this.hasLeft) return;
    if (this.isLogged) await this.write(record);
    else append(this.early, record);
  }

  /** Appends a message that is no answer, and makes it durable. */
  async record(message: Message): Promise<void> {
    await this.write({ type: 'message', runId: this.id, message: this.append(message) });
  }

  /** Gives the message as it is stored. */
  append(message: Message): Message {
    const marked = withId(message, this.#ids);
    this.original.append(marked);
    if (this.working !== this.original) this.working.append(marked);
    return marked;
  }

  /** Takes the messages that a stage has put in place of the request's, the front system message included. */
  replaceMessages(messages: readonly Message[]): void {
    const own = this.system === undefined ? messages : messages.slice(1);
    this.isRewritten = true;
    this.working = new Transcript(own.map((message) => withId(message, this.#ids)));
  }

  /** What a body did when nobody waited any more. */
  tellLate(callId: string, text: string): void {
    const told = this.log.outside({ type: 'late', runId: this.id, callId, text });
    told.catch(() => {}); // swallows a store that takes nothing now: a late word changes nothing
  }
}
closeClass(RunRecords);
