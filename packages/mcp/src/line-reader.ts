/** Lines of a stream of bytes, none longer than allowed. */

/** A line, or a part of one, that is longer than allowed. */
export class LineTooLong extends Error {}

/** Gives whole lines, without their ends. Throws `LineTooLong` as soon as one goes beyond `maxBytes`. */
export class LineReader {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *push(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      this.#add(chunk.subarray(from, end));
      const line = Buffer.concat(this.#parts).toString('utf8');
      this.#parts = [];
      this.#bytes = 0;
      from = end + 1;
      yield line.endsWith('\r') ? line.slice(0, -1) : line;
    }
    this.#add(chunk.subarray(from));
  }

  #add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) {
      this.#parts = [];
      throw new LineTooLong(`it wrote a message of more than ${this.#maxBytes} bytes`);
    }
    if (part.length > 0) this.#parts.push(part);
  }
}
