/**
 * Entry point of each pool thread. It loads the job's module and calls its default export. Node.js loads this file
 * directly, so it imports only types from neighbouring files.
 */
import { parentPort } from 'node:worker_threads';

export interface ThreadTask {
  readonly id: number;
  readonly file: string;
  readonly input: unknown;
}

/** Message before the module is called. The time limit of the job starts here. */
export interface ThreadBegunMessage {
  readonly begun: number;
}

export default async function runTask({ id, file, input }: ThreadTask): Promise<unknown> {
  const { default: work } = (await import(file)) as { default: (input: unknown) => unknown };
  parentPort?.postMessage({ begun: id } satisfies ThreadBegunMessage);
  return work(input);
}
