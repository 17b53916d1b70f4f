import { describe, expect, it } from 'vitest';
import { EXECUTION_STATUSES } from '../../api/lists';
import { runStatusLabel, statusStyle, UNFINISHED, UNSUCCESSFUL } from './statuses';

describe('statuses', () => {
  it('of unfinished and of unsuccessful runs have nothing in common', () => {
    expect(UNFINISHED.filter((status) => UNSUCCESSFUL.includes(status))).toEqual([]);
    expect([...UNFINISHED, ...UNSUCCESSFUL].every((status) => EXECUTION_STATUSES.includes(status))).toBe(true);
  });

  it('have different labels, so that colour alone never distinguishes two', () => {
    const labels = EXECUTION_STATUSES.map((status) => statusStyle(status).label);
    expect(new Set(labels).size).toBe(labels.length);
  });

  it('of a paused run name what it waits for', () => {
    expect(runStatusLabel({ status: 'PAUSED', pauseReason: 'APPROVAL', statusReason: null, queue: null })).toBe(
      'Waiting for approval',
    );
    expect(runStatusLabel({ status: 'PAUSED', pauseReason: null, statusReason: null, queue: null })).toBe('Paused');
    expect(runStatusLabel({ status: 'RUNNING', pauseReason: 'GATE', statusReason: null, queue: null })).toBe('Running');
  });

  it('of a run that a freeze keeps from beginning say so, as long as it does', () => {
    const statusReason = { code: 'collection_frozen', text: 'Frozen.' };
    expect(runStatusLabel({ status: 'PENDING', pauseReason: null, statusReason, queue: null })).toBe(
      'Held by a freeze',
    );
    const closed = { code: 'outside_run_window', text: 'Closed.' };
    expect(runStatusLabel({ status: 'PENDING', pauseReason: null, statusReason: closed, queue: null })).toBe(
      'Waiting for the run window',
    );
    expect(runStatusLabel({ status: 'RUNNING', pauseReason: null, statusReason, queue: null })).toBe('Running');
  });

  it('of a run that waits for a worker name the cause', () => {
    const run = { status: 'PENDING', pauseReason: null, queue: null } as const;
    expect(runStatusLabel({ ...run, statusReason: { code: 'no_worker', text: 'None.' } })).toBe('No worker is running');
    expect(runStatusLabel({ ...run, statusReason: { code: 'no_free_slot', text: '1.' } })).toBe(
      'Waiting for a free slot',
    );
  });

  it('shows the queue position or start time of a waiting run', () => {
    const run = { status: 'PENDING', pauseReason: null, statusReason: null } as const;
    const queue = { since: '2026-03-14T02:00:00Z', startAt: null, expiresAt: null };
    expect(runStatusLabel({ ...run, queue: { ...queue, waitsFor: 'overlap', position: 2 } })).toBe(
      'Queued, position 2',
    );
    expect(runStatusLabel({ ...run, queue: { ...queue, waitsFor: 'start_time', position: null } })).toBe(
      'Starts later',
    );
  });
});
