/** An in-process channel: it keeps what was sent, and fails or waits when a test says so. */
import type { Channel } from '@treblehook/agent';

export interface TestChannelOptions {
  readonly platform: string;
}

export interface TestChannel extends Channel {
  /** What went out, in order. */
  readonly sent: readonly { readonly chatId: string; readonly text: string; readonly messageId: string }[];
  /** The next sending rejects with this; said twice, the next two do. */
  readonly failNext: (error: unknown) => void;
  /** Sendings from now on wait until the function that it gives is called, or their signal aborts. */
  readonly hold: () => () => void;
}

/** Message ids are `<platform>-<n>`, from 1. */
export function testChannel({ platform }: TestChannelOptions): TestChannel {
  const sent: TestChannel['sent'][number][] = [];
  const faults: { readonly error: unknown }[] = [];
  let gate: Promise<void> | undefined;

  return Object.freeze({
    platform,
    sent,
    async send({ chatId, text }: Parameters<Channel['send']>[0], { signal }: Parameters<Channel['send']>[1]) {
      if (gate !== undefined) await opened(gate, signal);
      const fault = faults.shift();
      if (fault !== undefined) throw fault.error;
      const messageId = `${platform}-${sent.length + 1}`;
      sent.push(Object.freeze({ chatId, text, messageId }));
      return { messageId };
    },
    failNext: (error: unknown) => void faults.push({ error }),
    hold() {
      let open = (): void => {};
      const own = new Promise<void>((resolve) => (open = resolve));
      gate = own;
      return () => {
        if (gate === own) gate = undefined;
        open();
      };
    },
  });
}

/** Rejects with the reason of the signal; no listener stays. */
async function opened(gate: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let off = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    off = () => signal.removeEventListener('abort', stop);
  });
  await Promise.race([gate, aborted]).finally(off);
}
