/**
 * What runs in each thread of the pool: loads a job's own file and calls its default export. It is loaded by Node.js
 * itself, so that it imports nothing but types from files beside it.
 */
import { parentPort } from 'node:worker_threads';

/** A job as a thread gets it. */
export interface ThreadTask {
  /** Says in `ThreadBegun` which job began. */
  readonly id: number;
  /** URL of a module whose default export takes the input and gives the answer. */
  readonly file: string;
  readonly input: unknown;
}

/** Told once the module is loaded, just before it is called: from here on the job's time counts. */
export interface ThreadBegun {
  readonly begun: number;
}

export default async function run({ id, file, input }: ThreadTask): Promise<unknown> {
  const { default: work } = (await import(file)) as { default: (input: unknown) => unknown };
  parentPort?.postMessage({ begun: id } satisfies ThreadBegun);
  return work(input);
}
