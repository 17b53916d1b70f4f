import { describe, expect, it } from '@jest/globals';
import { Batcher } from './batcher.js';

function makeDoubling(turnOf: (item: number) => string = String): {
  gathered: Batcher<number, number>;
  lots: number[][];
} {
  const lots: number[][] = [];
  const ask = (items: readonly number[]): Promise<number[]> => {
    lots.push([...items]);
    return items.includes(13) ? Promise.reject(new Error('no answer')) : Promise.resolve(items.map((item) => item * 2));
  };
  return { gathered: new Batcher(ask, 3, turnOf), lots };
}

describe('batched questions', () => {
  it('get one answer each, in batches of limited size', async () => {
    const { gathered, lots } = makeDoubling();
    expect(await Promise.all([1, 2, 3, 4].map((item) => gathered.enqueue(item)))).toEqual([2, 4, 6, 8]);
    expect(lots).toEqual([[1, 2, 3], [4]]);
  });

  it('run one after the other when they share a turn', async () => {
    const { gathered, lots } = makeDoubling((item) => String(item % 2));
    expect(await Promise.all([1, 3, 2].map((item) => gathered.enqueue(item)))).toEqual([2, 6, 4]);
    expect(lots).toEqual([[1, 2], [3]]);
  });

  it('fail together, and later questions still get answers', async () => {
    const { gathered } = makeDoubling();
    const failed = await Promise.allSettled([gathered.enqueue(13), gathered.enqueue(1)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await gathered.enqueue(1)).toBe(2);
  });
});
