import { describe, expect, it } from 'vitest';
import type { RotationCounts } from '../../../api/types';
import { canGiveUp, HOST_STATES, progressText, ROTATION_HOST_STATES, rotationStyle } from './rotation-states';

const counts = (some: Partial<RotationCounts>): RotationCounts => ({
  ...{ pending: 0, installed: 0, switched: 0, done: 0, failed: 0, given_up: 0, left: 0 },
  ...some,
});

describe('a rotation', () => {
  it('has a label of its own for each state of a host', () => {
    expect(new Set(Object.values(HOST_STATES).map(({ label }) => label)).size).toBe(ROTATION_HOST_STATES.length);
  });

  it('can be given up on hosts that are neither done nor out of it', () => {
    expect(ROTATION_HOST_STATES.filter((state) => canGiveUp({ state }))).toEqual([
      'failed',
      'pending',
      'installed',
      'switched',
    ]);
  });

  it.each([
    ['Under way', true, { pending: 3 }],
    ['Hosts failed', true, { pending: 3, failed: 1 }],
    ['Done', false, { done: 4, left: 1 }],
    ['Over, hosts given up', false, { done: 4, given_up: 1 }],
  ])('is “%s” (open: %s, %o)', (label, open, some) => {
    expect(rotationStyle({ open, counts: counts(some) }).label).toBe(label);
  });

  it('tells how far it is in a sentence, and what waits for a person', () => {
    const text = (open: boolean, some: Partial<RotationCounts>) => progressText({ open, counts: counts(some) });
    expect(text(true, { pending: 1200, switched: 1, done: 7 })).toBe('7 of 1,208 hosts done, 1,201 under way.');
    expect(text(true, { done: 1, failed: 1 })).toBe(
      '1 of 2 hosts done, 1 failed. It stays open until you try the failed ones again or give them up.',
    );
    expect(text(false, { done: 1 })).toBe('1 of 1 host done.');
    expect(text(true, {})).toBe('It has no host that you may see.');
  });
});
