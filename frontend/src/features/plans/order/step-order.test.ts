import { describe, expect, it } from 'vitest';
import { moveItem } from '../form/plan-form';
import { edgeAt, placeOf, targetIndex } from './step-order';

const dropped = (from: number, over: number, edge: 'before' | 'behind') =>
  moveItem(['a', 'b', 'c', 'd'], from, targetIndex(from, over, edge)).join('');

describe('dropping a step', () => {
  it('puts it before or behind the one that it is over, from both sides', () => {
    expect(dropped(0, 2, 'before')).toBe('bacd');
    expect(dropped(0, 2, 'behind')).toBe('bcad');
    expect(dropped(3, 1, 'before')).toBe('adbc');
    expect(dropped(3, 1, 'behind')).toBe('abdc');
    expect(dropped(3, 0, 'before')).toBe('dabc');
    expect(dropped(0, 3, 'behind')).toBe('bcda');
  });

  it('changes nothing at the edges where it lies already', () => {
    expect(dropped(1, 1, 'before')).toBe('abcd');
    expect(dropped(1, 1, 'behind')).toBe('abcd');
    expect(dropped(1, 0, 'behind')).toBe('abcd');
    expect(dropped(1, 2, 'before')).toBe('abcd');
  });

  it('takes the nearer edge of a card, however tall it is', () => {
    expect(edgeAt(149, { top: 100, height: 100 })).toBe('before');
    expect(edgeAt(150, { top: 100, height: 100 })).toBe('behind');
  });
});

describe('the position of a step', () => {
  it('is read out with its key', () => {
    expect(placeOf('deploy', 1, 3)).toBe('Step “deploy” is at position 2 of 3.');
    expect(placeOf('', 0, 1)).toBe('The step is at position 1 of 1.');
  });
});
