/** A `fetch` whose answers end with an error when a message in them is longer than allowed. */
import type { McpHttpServer } from './contract.js';

type Fetch = NonNullable<McpHttpServer['fetch']>;

/** An event stream is counted from empty line to empty line, anything else as a whole. */
export function cappedFetch(fetch: Fetch, maxBytes: number): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(cap(maxBytes, isStream)), { status, statusText, headers });
  };
}

function cap(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let isLineEmpty = true;
  return new TransformStream({
    transform(chunk: Uint8Array, controller) {
      if (!isStream) bytes += chunk.length;
      else {
        for (const byte of chunk) {
          bytes++;
          if (byte === 10) {
            if (isLineEmpty) bytes = 0;
            isLineEmpty = true;
          } else if (byte !== 13) isLineEmpty = false;
        }
      }
      if (bytes > maxBytes) throw new Error(`it sent a message of more than ${maxBytes} bytes`);
      controller.enqueue(chunk);
    },
  });
}
