/** What a command says, kept to a limit: the beginning and the end, and how much is missing between. */
import { stripVTControlCharacters } from 'node:util';
import { visible } from './visible.js';

/** Of a hundred bytes so many may be no text before output passes for binary. */
const maxOddPercent = 30;

export class KeptOutput {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #bytes = 0;

  /** `maxBytes`: of the output that is kept, a half from each end. */
  constructor(maxBytes: number) {
    this.#half = Math.max(1, Math.floor(maxBytes / 2));
  }

  /** Bytes that were said. */
  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const first = chunk.subarray(0, this.#half - this.#headBytes);
    if (first.length > 0) {
      this.#head.push(first);
      this.#headBytes += first.length;
    }
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    // what is surely not shown goes, now and then: once for each half that has come
    if (this.#tailBytes > 2 * this.#half) this.#cutTail();
  }

  /** As text that is safe to show. */
  text(): string {
    this.#cutTail();
    const head = Buffer.concat(this.#head);
    const [tail = Buffer.alloc(0)] = this.#tail;
    const left = this.#bytes - head.length - tail.length;
    if (left === 0) return shown(Buffer.concat([head, tail]));
    return `${shown(wholeAtEnd(head))}\n[… ${left} bytes are left out …]\n${shown(wholeAtStart(tail))}`;
  }

  #cutTail(): void {
    const all = Buffer.concat(this.#tail);
    // a copy, so that what is cut off can be forgotten
    this.#tail = [Buffer.from(all.subarray(Math.max(0, all.length - this.#half)))];
    this.#tailBytes = this.#tail[0]!.length;
  }
}

/** Without colours and cursor movements; CRLF is a line break, each other control character an escape. */
function shown(bytes: Buffer): string {
  const odd = bytes.reduce((count, byte) => count + (isOdd(byte) ? 1 : 0), 0);
  const text = bytes.toString('utf8');
  const invalid = text.split('\uFFFD').length - 1;
  if ((odd + invalid) * 100 > bytes.length * maxOddPercent) return `[${bytes.length} bytes that are no text]`;
  return visible(stripVTControlCharacters(text).replaceAll('\r\n', '\n'));
}

const escape = 0x1b;
const isOdd = (byte: number): boolean => byte < 9 || (byte > 13 && byte < 32 && byte !== escape);

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Without the beginning of a character that was cut. */
function wholeAtEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && isContinuation(bytes[end - 1]!)) end -= 1;
  const lead = bytes[end - 1] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return end > 0 && bytes.length - end + 1 < length ? bytes.subarray(0, end - 1) : bytes;
}

/** Without the end of a character that was cut. */
function wholeAtStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && isContinuation(bytes[start]!)) start += 1;
  return bytes.subarray(start);
}
