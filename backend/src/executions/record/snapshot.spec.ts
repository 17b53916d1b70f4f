import { describe, expect, it } from '@jest/globals';
import { EMPTY_PLAN as EMPTY } from '../../plans/steps/plan-content.js';
import type { RunContent } from './run-content.js';
import { digestOf } from './snapshot.js';

const EMPTY_PLAN: RunContent = { ...EMPTY, steps: [] };

const digest = (plan: RunContent): string =>
  digestOf({ plan, variables: {}, secretNames: [], targets: '' }, [], 'environment', {});

describe('the digest of what a run froze', () => {
  it('is the one of before plans could choose how hosts go on, where they go on as ever', () => {
    const { strategy: _, ...before } = EMPTY_PLAN;
    expect(digest(EMPTY_PLAN)).toBe(digest(before as RunContent));
  });

  it('is another one where each host goes on by itself', () => {
    expect(digest({ ...EMPTY_PLAN, strategy: 'free' })).not.toBe(digest(EMPTY_PLAN));
  });
});
