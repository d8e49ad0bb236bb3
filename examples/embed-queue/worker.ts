/** A worker: each delivery of a job is a session of its own, so that one that comes twice runs once. */
import type { Agent, RunResult } from '@treblehook/agent';
import { isHookError } from '@treblehook/types';

export interface Delivery {
  readonly id: string;
  /** From 1; it grows when the job is given back, and stays when a worker has died over it. */
  readonly attempt: number;
  /** For the route gate. */
  readonly class: string;
  readonly prompt: string;
}

/** Any queue will do that delivers each job at least once, to one worker at a time. */
export interface Queue {
  readonly take: () => Promise<Delivery | undefined>;
  readonly done: (job: Delivery, text: string) => Promise<void>;
  readonly giveBack: (job: Delivery, why: string) => Promise<void>;
  readonly giveUp: (job: Delivery, why: string) => Promise<void>;
}

/** After `stop` no job is taken; `abort` ends the one in hand, which then goes back. */
export async function work(agent: Agent, queue: Queue, stop: AbortSignal, abort: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const job = await queue.take();
    if (job === undefined) return;
    const { status, text, error = status } = await once(agent, job, abort);
    if (status === 'done') await queue.done(job, text);
    else if (status === 'aborted') await queue.giveBack(job, 'the worker ends');
    else if (status === 'failed' && job.attempt < 3) await queue.giveBack(job, String(error));
    else await queue.giveUp(job, String(error));
  }
}

/** What has ended is not run again; what a worker that died has begun goes on; anything else begins. */
async function once(
  agent: Agent,
  job: Delivery,
  signal: AbortSignal,
): Promise<Pick<RunResult, 'status' | 'text' | 'error'>> {
  const session = agent.session(`${job.id}.${job.attempt}`);
  try {
    await session.load();
    const last = session.messages().at(-1);
    if (last !== undefined) {
      const text = last.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      return last.role === 'assistant' ? { status: 'done', text } : { status: 'failed', text: '' };
    }
    return await session.resume(undefined, { signal }).catch((error: unknown) => {
      if (!isHookError(error) || error.code !== 'TH_NOTHING_OPEN') throw error;
      return session.run(job.prompt, { signal, job: { class: job.class } });
    });
  } finally {
    await session.close(); // the log stays in the store
  }
}
