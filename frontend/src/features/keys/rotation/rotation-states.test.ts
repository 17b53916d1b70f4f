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
    expect(ROTATION_HOST_STATES.filter((state) => canGiveUp({ status: state }))).toEqual([
      'failed',
      'pending',
      'installed',
      'switched',
    ]);
  });

  it.each([
    ['Running', true, { pending: 3 }],
    ['Hosts failed', true, { pending: 3, failed: 1 }],
    ['Done', false, { done: 4, left: 1 }],
    ['Ended, hosts given up', false, { done: 4, given_up: 1 }],
  ])('is “%s” (open: %s, %o)', (label, open, some) => {
    expect(rotationStyle({ open, counts: counts(some) }).label).toBe(label);
  });

  it('describes its progress and pending decisions', () => {
    const text = (open: boolean, some: Partial<RotationCounts>) => progressText({ open, counts: counts(some) });
    expect(text(true, { pending: 1200, switched: 1, done: 7 })).toBe('7 of 1,208 hosts done, 1,201 in progress.');
    expect(text(true, { done: 1, failed: 1 })).toBe(
      '1 of 2 hosts done, 1 failed. The rotation stays open until you retry or give up the failed hosts.',
    );
    expect(text(false, { done: 1 })).toBe('1 of 1 host done.');
    expect(text(true, {})).toBe('No hosts that you can view.');
  });
});
