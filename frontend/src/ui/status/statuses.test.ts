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
    expect(runStatusLabel({ status: 'PAUSED', pauseReason: 'APPROVAL' })).toBe('Waits for approval');
    expect(runStatusLabel({ status: 'PAUSED', pauseReason: null })).toBe('Paused');
    expect(runStatusLabel({ status: 'RUNNING', pauseReason: 'GATE' })).toBe('Running');
  });
});
