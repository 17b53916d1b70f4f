import { describe, expect, it } from '@jest/globals';
import { inTurns } from './in-turns.js';

describe('inTurns', () => {
  it('runs several items concurrently, and each can wait for those before it', async () => {
    const log: string[] = [];
    let runningCount = 0;
    let most = 0;
    await inTurns([1, 2, 3, 4], 2, async (item, turn) => {
      most = Math.max(most, (runningCount += 1));
      log.push(`begins ${item}`);
      await turn;
      log.push(`ends ${item}`);
      runningCount -= 1;
      return true;
    });
    expect(most).toBe(2);
    expect(log.filter((each) => each.startsWith('ends'))).toEqual(['ends 1', 'ends 2', 'ends 3', 'ends 4']);
    expect(log.indexOf('begins 2')).toBeLessThan(log.indexOf('ends 1'));
  });

  it('throws the first error, passes it to later items, and starts no more', async () => {
    const begun: number[] = [];
    const finished: number[] = [];
    const all = inTurns([1, 2, 3, 4, 5], 2, async (item, turn) => {
      begun.push(item);
      if (item === 2) throw new Error('The disk is full.');
      await turn;
      finished.push(item);
      return true;
    });
    await expect(all).rejects.toThrow('The disk is full.');
    expect(finished).toEqual([1]);
    expect(begun.length).toBeLessThan(5);
  });

  it('stops if an item returns false, and waits for items that were started', async () => {
    const finished: number[] = [];
    await inTurns([1, 2, 3, 4, 5, 6], 2, async (item, turn) => {
      await turn;
      finished.push(item);
      return item < 2;
    });
    expect(finished).toEqual([1, 2, 3]);
  });
});
