/** The end of an event stream that says `[DONE]`: the answer is over there, whatever the server does with the socket. */

const marker = Buffer.from('[DONE]');
/** An event of its own, at the start of a line and whole. */
const event = /[\r\n]data: ?\[DONE\][ \t]*[\r\n]/;
/** Bytes of the last chunk that may be the start of the event. */
const kept = 32;
/** ms that the answer waits for the end of the body, so that its connection can serve the next call at once. */
const grace = 100;
/** ms after which a server that does not end its body is left. */
const patience = 1_000;

/** The response with a body that ends behind `data: [DONE]`. */
export function endingAtDone(response: Response): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) return response;
  let tail: Buffer = Buffer.from('\n');
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      controller.enqueue(value);
      const seen = Buffer.concat([tail, value]);
      tail = Buffer.from(seen.subarray(-kept));
      if (!seen.includes(marker) || !event.test(seen.toString('latin1'))) return;
      await ended(reader);
      controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

/**
 * Reads what is left, which is nothing but the end of the body. Resolves with it, or when the answer should wait no longer;
 * a server that does not send it is left.
 */
function ended(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  return new Promise((resolve) => {
    const waited = setTimeout(resolve, grace);
    const left = setTimeout(() => {
      reader.cancel().catch(() => {}); // swallows what breaks behind a finished answer
    }, patience);
    left.unref();
    const over = (): void => {
      clearTimeout(waited);
      clearTimeout(left);
      resolve();
    };
    // what breaks behind a finished answer is its end too
    const drain = (): Promise<void> => reader.read().then(({ done }) => (done ? over() : drain()), over);
    void drain();
  });
}
