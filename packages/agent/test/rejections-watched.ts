/** A test file in which no rejection may stay unhandled. */
import { afterEach, beforeEach } from 'vitest';
import { settle } from './kit.js';

/** Called once, at the top of the file. */
export function failOnUnhandledRejections(): void {
  const rejections: unknown[] = [];
  const onRejection = (error: unknown): void => void rejections.push(error);
  beforeEach(() => void process.on('unhandledRejection', onRejection));
  afterEach(async () => {
    await settle();
    process.off('unhandledRejection', onRejection);
    if (rejections.length > 0) throw new Error('an unhandled rejection', { cause: rejections.splice(0) });
  });
}
