/** A queue worker: retries, a job class that chooses the model, a job that is delivered twice, an end that loses nothing. */
import { memoryStore } from '@treblehook/agent';
import { deferred, scriptedModel } from '@treblehook/agent/testing';
import { createHost } from '@treblehook/host';
import { work, type Delivery, type Queue } from './worker.js';

// A queue in an array.
const minutes: Delivery = { id: 'minutes', attempt: 1, class: 'bulk', prompt: 'Sum the minutes up.' };
const waiting: Delivery[] = [
  minutes,
  minutes, // the queue lost the receipt
  { id: 'letter', attempt: 1, class: 'urgent', prompt: 'Answer the letter.' },
  { id: 'report', attempt: 1, class: 'bulk', prompt: 'Write the report.' },
];
const say = (job: Delivery, what: string): void => console.log(`${job.id}.${job.attempt} ${what}`);
const queue: Queue = {
  take: async () => waiting.shift(),
  done: async (job, text) => say(job, `is done: ${text}`),
  giveUp: async (job, why) => say(job, `is given up: ${why}`),
  async giveBack(job, why) {
    say(job, `goes back: ${why}`);
    waiting.unshift({ ...job, attempt: job.attempt + 1 }); // a real queue waits before it delivers it again
  },
};

const stop = new AbortController();
const abort = new AbortController();
let late: NodeJS.Timeout | undefined;
/** What SIGTERM calls: no new job, and some time for the one in hand. */
function shutDown(graceMs: number): void {
  stop.abort();
  late = setTimeout(() => abort.abort(), graceMs);
}

const endless = deferred();
const small = scriptedModel([
  'Three things were decided.',
  () => {
    setImmediate(shutDown, 20); // somebody ends this worker while the report is written
    return { text: 'Chapter one', hold: endless.promise };
  },
]);
const large = scriptedModel([new Error('overloaded'), 'Dear Ann, …']);
const host = await createHost({
  models: { small, large },
  model: 'large',
  routes: {
    routes: { small: { tier: 'cheap' }, large: { tier: 'frontier' } },
    rules: [{ tier: 'frontier', for: [{ job: 'urgent' }], otherwise: { downgrade: 'small' } }],
  },
  store: memoryStore(), // a file outlives the worker: sqliteStore({ path })
});
await work(host.agent, queue, stop.signal, abort.signal); // several of them at once are as many jobs in hand
clearTimeout(late);
await host.close();

console.log(`waiting: ${waiting.map(({ id, attempt }) => `${id}.${attempt}`).join(', ')}`);
console.log(`asked: small ${small.calls.length} times, large ${large.calls.length} times`);
