import { describe, expect, it } from 'vitest';
import type { RunMode } from '../../../api/types';
import { effectiveMode, modeObstacle } from './start-modes';

const limits = (plan: RunMode[], environment?: RunMode[], exact = false) => ({
  plan: { allowedModes: plan },
  environment: environment && { name: 'prod', allowedModes: environment },
  exact,
});

describe('modes of a start', () => {
  it('are all available while neither the plan nor the environment limits them', () => {
    expect(modeObstacle('auto', limits([], []))).toBeNull();
    expect(modeObstacle('dry_run', limits([]))).toBeNull();
  });

  it('have to be allowed by both', () => {
    expect(modeObstacle('auto', limits(['interactive'], []))).toBe('Not allowed by the plan.');
    expect(modeObstacle('auto', limits([], ['interactive']))).toBe('Not allowed in prod.');
    expect(modeObstacle('interactive', limits(['interactive'], ['interactive', 'auto']))).toBeNull();
  });

  it('have no dry run after a dry run', () => {
    expect(modeObstacle('dry_run', limits([], [], true))).toBe('This start follows a dry run.');
    expect(modeObstacle('auto', limits([], [], true))).toBeNull();
  });

  it('fall back to the first available one, and stay as chosen when there is none', () => {
    expect(effectiveMode('auto', limits(['dry_run', 'interactive'], []))).toBe('interactive');
    expect(effectiveMode('interactive', limits(['dry_run', 'interactive'], []))).toBe('interactive');
    expect(effectiveMode('auto', limits(['interactive'], ['dry_run']))).toBe('auto');
  });
});
