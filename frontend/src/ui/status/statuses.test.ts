import { describe, expect, it } from 'vitest';
import { EXECUTION_STATUSES, runStatusLabel, statusStyle, UNFINISHED, UNSUCCESSFUL } from './statuses';

describe('statuses', () => {
  it('of unfinished and of unsuccessful runs have nothing in common', () => {
    expect(UNFINISHED.filter((status) => UNSUCCESSFUL.includes(status))).toEqual([]);
    expect([...UNFINISHED, ...UNSUCCESSFUL].every((status) => EXECUTION_STATUSES.includes(status))).toBe(true);
  });

  it('have different labels, so that no two are told apart by colour alone', () => {
    const labels = EXECUTION_STATUSES.map((status) => statusStyle(status).label);
    expect(new Set(labels).size).toBe(labels.length);
  });

  it('of a paused run tell what it waits for', () => {
    expect(runStatusLabel({ status: 'PAUSED', pauseReason: 'APPROVAL', statusReason: null })).toBe(
      'Waits for approval',
    );
    expect(runStatusLabel({ status: 'PAUSED', pauseReason: null, statusReason: null })).toBe('Paused');
    expect(runStatusLabel({ status: 'RUNNING', pauseReason: 'GATE', statusReason: null })).toBe('Running');
  });

  it('of a run that a freeze keeps from beginning say so, as long as it does', () => {
    const statusReason = { code: 'collection_frozen', text: 'Frozen.' };
    expect(runStatusLabel({ status: 'PENDING', pauseReason: null, statusReason })).toBe('Held by a freeze');
    expect(runStatusLabel({ status: 'RUNNING', pauseReason: null, statusReason })).toBe('Running');
  });
});
