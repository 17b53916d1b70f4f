import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { FairQueue, type QueueLimits, QueueRefusal } from './fair-queue.js';

const LIMITS: QueueLimits = { running: 2, waitingPerKey: 3, waiting: 6, deadlineMs: 60_000 };
const settlePromises = () => new Promise((resolve) => setImmediate(resolve));

function makeQueue(limits: Partial<QueueLimits> = {}) {
  const queue = new FairQueue({ ...LIMITS, ...limits });
  const begun: string[] = [];
  const refused: string[] = [];
  const endByTask = new Map<string, (error?: Error) => void>();
  const add = (name: string, key: string, known = false): void => {
    const task = () =>
      new Promise<void>((resolve, reject) => {
        begun.push(name);
        endByTask.set(name, (error) => (error ? reject(error) : resolve()));
      });
    queue.runInTurn({ key, known }, task).catch((error: unknown) => {
      refused.push(`${name} ${error instanceof QueueRefusal ? error.reason : String(error)}`);
    });
  };
  const end = async (name: string, error?: Error): Promise<void> => {
    endByTask.get(name)?.(error);
    endByTask.delete(name);
    await settlePromises();
  };
  const drain = async (): Promise<void> => {
    while (endByTask.size > 0) for (const name of [...endByTask.keys()]) await end(name);
  };
  return { queue, begun, refused, add, end, drain };
}

describe('FairQueue', () => {
  it('runs at most the allowed number of tasks in parallel, and completes all', async () => {
    const { queue, begun, add, drain } = makeQueue();
    for (let n = 0; n < 6; n += 1) add(`task-${n}`, `key-${n}`);
    await settlePromises();
    expect(begun).toEqual(['task-0', 'task-1']);
    await drain();
    expect(begun).toHaveLength(6);
    expect(queue.peak).toBe(2);
  });

  it('serves the keys in turn, however many tasks one key has', async () => {
    const { begun, add, drain } = makeQueue({ running: 1 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) add(name, name[0] as string);
    await drain();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('alternates between known and unknown callers', async () => {
    const { begun, add, drain } = makeQueue({ running: 1 });
    add('first', 'x');
    for (const key of ['a', 'b', 'c']) add(key, key);
    for (const key of ['A', 'B', 'C']) add(key, key, true);
    await drain();
    expect(begun).toEqual(['first', 'A', 'a', 'B', 'b', 'C', 'c']);
  });

  it("refuses only the tasks beyond a key's limit of waiting tasks", async () => {
    const { begun, refused, add, drain } = makeQueue();
    for (let n = 0; n < 7; n += 1) add(`a${n}`, 'a');
    add('b', 'b');
    await drain();
    expect(refused).toEqual(['a5 key', 'a6 key']);
    expect(begun).toContain('b');
  });

  it('replaces the last task of the key with most waiting tasks when it is full', async () => {
    const { begun, refused, add, drain } = makeQueue();
    for (const name of ['x', 'y', 'a1', 'a2', 'a3', 'b1', 'b2', 'b3']) add(name, name[0] as string);
    add('c', 'c');
    await settlePromises();
    expect(refused).toEqual(['a3 full']);
    await drain();
    expect(begun).toContain('c');
  });

  it('refuses a new task when it is full and no key has more than one waiting', async () => {
    const { refused, add, drain } = makeQueue();
    for (let n = 0; n < 10; n += 1) add(`task-${n}`, `key-${n}`);
    await drain();
    expect(refused).toEqual(['task-8 full', 'task-9 full']);
  });

  it('reserves capacity for known callers, whatever the load of unknown ones', async () => {
    const { begun, refused, add, drain } = makeQueue();
    for (let n = 0; n < 50; n += 1) add(`stranger-${n}`, `key-${n}`);
    add('owner', 'device', true);
    await drain();
    expect(refused).not.toContain('owner full');
    expect(begun.indexOf('owner')).toBe(2);
  });

  it('refuses a task that waited until the deadline', async () => {
    const { begun, refused, add, drain } = makeQueue({ running: 1, deadlineMs: 20 });
    add('slow', 'a');
    add('late', 'b');
    await eventually('the task is refused', () => refused.length > 0);
    expect(refused).toEqual(['late deadline']);
    await drain();
    expect(begun).toEqual(['slow']);
  });

  it('continues after a failed task, and passes its error on', async () => {
    const { begun, refused, add, end, drain } = makeQueue({ running: 1 });
    add('bad', 'a');
    add('good', 'b');
    await settlePromises();
    await end('bad', new Error('no'));
    expect(refused).toEqual(['bad Error: no']);
    await drain();
    expect(begun).toEqual(['bad', 'good']);
  });
});
