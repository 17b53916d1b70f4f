import { describe, expect, it } from '@jest/globals';
import { FairQueue, type QueueLimits, QueueRefusal } from './fair-queue.js';

const LIMITS: QueueLimits = { running: 2, waitingPerKey: 3, waiting: 6, deadlineMs: 60_000 };
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A queue whose tasks end only when they are told to. */
function stage(limits: Partial<QueueLimits> = {}) {
  const queue = new FairQueue({ ...LIMITS, ...limits });
  const begun: string[] = [];
  const refused: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const add = (name: string, key: string, known = false): void => {
    const task = () =>
      new Promise<void>((resolve, reject) => {
        begun.push(name);
        ends.set(name, (error) => (error ? reject(error) : resolve()));
      });
    queue.run({ key, known }, task).catch((error: unknown) => {
      refused.push(`${name} ${error instanceof QueueRefusal ? error.reason : String(error)}`);
    });
  };
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)?.(error);
    ends.delete(name);
    await settled();
  };
  /** Ends whatever runs, again and again, until nothing does. */
  const drain = async (): Promise<void> => {
    while (ends.size > 0) for (const name of [...ends.keys()]) await end(name);
  };
  return { queue, begun, refused, add, end, drain };
}

describe('FairQueue', () => {
  it('runs no more tasks at a time than it may, and all of them in the end', async () => {
    const { queue, begun, add, drain } = stage();
    for (let n = 0; n < 6; n += 1) add(`task-${n}`, `key-${n}`);
    await settled();
    expect(begun).toEqual(['task-0', 'task-1']);
    await drain();
    expect(begun).toHaveLength(6);
    expect(queue.peak).toBe(2);
  });

  it('serves the keys in turn, however many tasks one of them has', async () => {
    const { begun, add, drain } = stage({ running: 1 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) add(name, name[0] as string);
    await drain();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('serves those who are known and those who are not alternately', async () => {
    const { begun, add, drain } = stage({ running: 1 });
    add('first', 'x');
    for (const key of ['a', 'b', 'c']) add(key, key);
    for (const key of ['A', 'B', 'C']) add(key, key, true);
    await drain();
    expect(begun).toEqual(['first', 'A', 'a', 'B', 'b', 'C', 'c']);
  });

  it('refuses what a key has waiting beyond its share, and nobody else', async () => {
    const { begun, refused, add, drain } = stage();
    for (let n = 0; n < 7; n += 1) add(`a${n}`, 'a');
    add('b', 'b');
    await drain();
    expect(refused).toEqual(['a5 key', 'a6 key']);
    expect(begun).toContain('b');
  });

  it('makes room for a newcomer when it is full, by refusing the last of whoever has most', async () => {
    const { begun, refused, add, drain } = stage();
    for (const name of ['x', 'y', 'a1', 'a2', 'a3', 'b1', 'b2', 'b3']) add(name, name[0] as string);
    add('c', 'c');
    await settled();
    expect(refused).toEqual(['a3 full']);
    await drain();
    expect(begun).toContain('c');
  });

  it('refuses a newcomer when it is full and nobody has more than one waiting', async () => {
    const { refused, add, drain } = stage();
    for (let n = 0; n < 10; n += 1) add(`task-${n}`, `key-${n}`);
    await drain();
    expect(refused).toEqual(['task-8 full', 'task-9 full']);
  });

  it('keeps room for those who are known, whatever the others send', async () => {
    const { begun, refused, add, drain } = stage();
    for (let n = 0; n < 50; n += 1) add(`stranger-${n}`, `key-${n}`);
    add('owner', 'device', true);
    await drain();
    expect(refused).not.toContain('owner full');
    expect(begun.indexOf('owner')).toBe(2);
  });

  it('lets nobody wait for ever', async () => {
    const { begun, refused, add, drain } = stage({ running: 1, deadlineMs: 20 });
    add('slow', 'a');
    add('late', 'b');
    while (refused.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(refused).toEqual(['late deadline']);
    await drain();
    expect(begun).toEqual(['slow']);
  });

  it('goes on after a task that failed, and hands its error on', async () => {
    const { begun, refused, add, end, drain } = stage({ running: 1 });
    add('bad', 'a');
    add('good', 'b');
    await settled();
    await end('bad', new Error('no'));
    expect(refused).toEqual(['bad Error: no']);
    await drain();
    expect(begun).toEqual(['bad', 'good']);
  });
});
