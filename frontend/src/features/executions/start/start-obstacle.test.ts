import { describe, expect, it } from 'vitest';
import { isLater, startObstacle } from './start-obstacle';
import type { StartForm } from './start-request';

const form = (change: Partial<StartForm> = {}): StartForm => ({
  ...{ mode: 'auto', environmentId: 'e1', targets: '', note: '', labels: [] },
  ...{ queue: false, startAt: null, override: null, variables: {} },
  ...change,
});
const open = { environment: { name: 'staging', protected: false }, typedName: '' };
const guarded = (typedName: string) => ({ environment: { name: 'prod', protected: true }, typedName });

describe('the obstacle to a start', () => {
  it('is none in an open environment, or before one is chosen', () => {
    expect(startObstacle(form(), open)).toBeNull();
    expect(startObstacle(form(), { environment: undefined, typedName: '' })).toBeNull();
  });

  it('is the missing name of a protected environment, except for a dry run', () => {
    expect(startObstacle(form(), guarded('pro'))).toBe('Type prod to confirm first');
    expect(startObstacle(form(), guarded(' prod '))).toBeNull();
    expect(startObstacle(form({ mode: 'dry_run' }), guarded(''))).toBeNull();
  });

  it('is a label without a key, for a dry run too', () => {
    expect(startObstacle(form({ labels: ['=x'] }), open)).not.toBeNull();
    expect(startObstacle(form({ labels: ['=x'], mode: 'dry_run' }), open)).not.toBeNull();
  });

  it('is a later start without a time', () => {
    expect(startObstacle(form({ startAt: '' }), open)).toBe('Choose the time first');
    expect(startObstacle(form({ startAt: '2026-03-14T02:00' }), open)).toBeNull();
    expect(startObstacle(form({ startAt: '', mode: 'dry_run' }), open)).toBeNull();
    expect([isLater(form()), isLater(form({ startAt: '' }))]).toEqual([false, true]);
  });
});
