import { describe, expect, it } from '@jest/globals';
import { sortCalledFirst } from './folder-order.js';

const file = (name: string, ...called: string[]) => ({
  name,
  calls: called.map((each, index) => ({ name: each, at: `/steps/${index}/plan` })),
});
const order = (...files: ReturnType<typeof file>[]) => {
  const { ordered, circles } = sortCalledFirst(files);
  return [ordered.map(({ name }) => name), circles.map(({ path }) => path.join('→'))];
};

describe('files of plans that call each other', () => {
  it('are sorted so that called plans come first', () => {
    expect(order(file('a', 'b'), file('b', 'c'), file('c'))).toEqual([['c', 'b', 'a'], []]);
    expect(order(file('a', 'b', 'c'), file('b', 'c'), file('c', 'elsewhere'))).toEqual([['c', 'b', 'a'], []]);
    expect(order(file('a'), file('b'))).toEqual([['a', 'b'], []]);
  });

  it('are reported as a circle with its path, without files that only lead to it', () => {
    expect(order(file('a', 'a'))).toEqual([[], ['a→a']]);
    expect(order(file('x', 'a'), file('a', 'b'), file('b', 'c'), file('c', 'a', 'd'), file('d'))).toEqual([
      ['d', 'x'],
      ['a→b→c→a', 'b→c→a→b', 'c→a→b→c'],
    ]);
  });

  it('are reported with their own circle each', () => {
    const { circles } = sortCalledFirst([file('a', 'b', 'c'), file('b', 'a'), file('c', 'a')]);
    expect(Object.fromEntries(circles.map(({ file: { name }, path, at }) => [name, [path.join('→'), at]]))).toEqual({
      a: ['a→b→a', '/steps/0/plan'],
      b: ['b→a→b', '/steps/0/plan'],
      c: ['c→a→c', '/steps/0/plan'],
    });
  });

  it('are all included if two have the same name', () => {
    expect(order(file('a'), file('a'), file('b', 'a'))).toEqual([['a', 'a', 'b'], []]);
  });
});
