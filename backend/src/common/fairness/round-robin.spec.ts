import { describe, expect, it } from '@jest/globals';
import { RoundRobin } from './round-robin.js';

function filled(items: Record<string, string[]>): RoundRobin<string> {
  const queue = new RoundRobin<string>();
  for (const [key, own] of Object.entries(items)) for (const item of own) queue.add(key, item);
  return queue;
}

function drained(queue: RoundRobin<string>, may?: (key: string) => boolean): string[] {
  const items: string[] = [];
  for (let next = queue.takeNext(may); next; next = queue.takeNext(may)) items.push(next.item);
  return items;
}

describe('items waiting by key', () => {
  it('are served round-robin by key, in order within a key', () => {
    const queue = filled({ a: ['a1', 'a2', 'a3'], b: ['b1'], c: ['c1', 'c2'] });
    expect(queue.size).toBe(6);
    expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect(queue.size).toBe(0);
  });

  it('keep their place when their key may not be served', () => {
    const queue = filled({ a: ['a1'], b: ['b1', 'b2'] });
    expect(drained(queue, (key) => key !== 'a')).toEqual(['b1', 'b2']);
    queue.add('b', 'b3');
    expect(drained(queue)).toEqual(['a1', 'b3']);
  });

  it('can be removed once', () => {
    const queue = filled({ a: ['a1', 'a2'], b: ['b1'] });
    expect([queue.remove('a', 'a1'), queue.remove('a', 'a1'), queue.remove('b', 'a2')]).toEqual([true, false, false]);
    expect([queue.countOf('a'), queue.countOf('b'), queue.countOf('c'), queue.size]).toEqual([1, 1, 0, 2]);
    expect(drained(queue)).toEqual(['a2', 'b1']);
  });

  it('are removed from the end of the longest key if it exceeds the minimum', () => {
    const queue = filled({ a: ['a1', 'a2'], b: ['b1', 'b2', 'b3'] });
    expect(queue.takeFromLongest(2)).toBe('b3');
    expect(queue.takeFromLongest(2)).toBeUndefined();
    expect(drained(queue)).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it('can all be removed at once', () => {
    const queue = filled({ a: ['a1', 'a2'], b: ['b1'] });
    expect(queue.takeAll()).toEqual(['a1', 'a2', 'b1']);
    expect([queue.size, queue.takeNext()]).toEqual([0, undefined]);
  });
});
