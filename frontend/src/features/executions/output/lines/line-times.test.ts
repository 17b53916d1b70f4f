import { describe, expect, it } from 'vitest';
import { lineTime, nextTimeForm, toTimeForm } from './line-times';

const START = '2026-11-28T10:00:00.000Z';

describe('the time of a line', () => {
  it.each([
    ['2026-11-28T10:00:00.049Z', '+0:00.0'],
    ['2026-11-28T10:01:02.345Z', '+1:02.3'],
    ['2026-11-28T12:03:04.000Z', '+2:03:04.0'],
    // The clock of the worker was set back.
    ['2026-11-28T09:59:00.000Z', '+0:00.0'],
  ])('at %s is %s after the start', (at, text) => {
    expect(lineTime('elapsed', at, START)).toBe(text);
  });

  it('is the time of day before the run has begun, and on request', () => {
    expect(lineTime('elapsed', START, null)).toBe(lineTime('clock', START, START));
    expect(lineTime('off', START, START)).toBeNull();
  });

  it('is switched from none to time of day to elapsed time', () => {
    expect(nextTimeForm('off')).toBe('clock');
    expect(nextTimeForm('clock')).toBe('elapsed');
    expect(nextTimeForm('elapsed')).toBe('off');
  });

  it('is read from the choice that earlier versions stored', () => {
    expect([true, false, 'elapsed', 'x', null].map(toTimeForm)).toEqual(['clock', 'off', 'elapsed', 'off', 'off']);
  });
});
