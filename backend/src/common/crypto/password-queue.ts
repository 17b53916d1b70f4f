import { Problem } from '../errors/problem.js';
import { FairQueue, QueueRefusal, type QueueTurn } from '../fairness/fair-queue.js';

/**
 * Number of threads in the pool of Node.js. argon2 uses at most half of them, because file access and name resolution
 * need the pool too.
 */
const THREAD_POOL_SIZE = Number(process.env.UV_THREADPOOL_SIZE) || 4;
const QUEUE_LIMITS = { waitingPerKey: 20, waiting: 200, deadlineMs: 10_000 };

/** All argon2 work of this process. Each verification takes 19 MiB and one thread for about 30 ms. */
export const passwordQueue = new FairQueue({ ...QUEUE_LIMITS, running: Math.max(1, Math.floor(THREAD_POOL_SIZE / 2)) });

/**
 * All sign-ins of this process. Without this limit, hundreds of parallel sign-ins would take all database connections.
 */
export const signInQueue = new FairQueue({ ...QUEUE_LIMITS, running: 4 });

const RETRY_AFTER_SECONDS = 2;

/** @throws Problem 429 `too_many_at_once`, 503 `busy` if the task was not started; otherwise the error of the task */
export async function runInQueue<T>(queue: FairQueue, turn: QueueTurn, task: () => Promise<T>): Promise<T> {
  try {
    return await queue.runInTurn(turn, task);
  } catch (error) {
    if (!(error instanceof QueueRefusal)) throw error;
    const headers = { 'Retry-After': String(RETRY_AFTER_SECONDS) };
    const retryAdvice = `Nothing was changed. Try again in ${RETRY_AFTER_SECONDS} s.`;
    throw error.reason === 'key'
      ? new Problem('too_many_at_once', `Too many password checks of this member are in progress. ${retryAdvice}`, {
          headers,
        })
      : new Problem('busy', `Too many password checks are in progress. ${retryAdvice}`, { headers });
  }
}
