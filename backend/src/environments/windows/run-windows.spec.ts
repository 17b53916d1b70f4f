import { describe, expect, it } from '@jest/globals';
import { findWindowFaults } from './requested-windows.js';
import { MAX_OPEN_SPANS } from './run-windows.dto.js';
import { describeClosedWindow, type OpenSpan, type RunWindows, WEEKDAYS, computeWindowState } from './run-windows.js';
import { spentCpuMs } from '../../../test/support/longest-gap.js';

const ALL = [...WEEKDAYS];
const BERLIN = 'Europe/Berlin';
const windows = (open: OpenSpan[], more: Partial<RunWindows> = {}): RunWindows => ({
  ...{ timeZone: BERLIN, open, blackouts: [] },
  ...more,
});
const nightWindows = windows([{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '22:00', to: '06:00' }]);
const openWindows = windows([{ days: ALL, from: '00:00', to: '24:00' }]);
const at = (of: RunWindows, time: string) => {
  const state = computeWindowState(of, new Date(time));
  return state.open
    ? ['open', state.closesAt?.toISOString() ?? null]
    : ['closed', state.opensAt?.toISOString() ?? null, state.blackout];
};

describe('run windows', () => {
  it('beyond midnight belong to the day on which they begin', () => {
    // 2026-01-05 is a Monday. Berlin is one hour ahead of UTC.
    expect(at(nightWindows, '2026-01-05T20:59:00Z')).toEqual(['closed', '2026-01-05T21:00:00.000Z', null]);
    expect(at(nightWindows, '2026-01-05T21:00:00Z')).toEqual(['open', '2026-01-06T05:00:00.000Z']);
    expect(at(nightWindows, '2026-01-10T04:59:59Z')).toEqual(['open', '2026-01-10T05:00:00.000Z']);
    expect(at(nightWindows, '2026-01-10T05:00:00Z')).toEqual(['closed', '2026-01-12T21:00:00.000Z', null]);
  });

  it('of whole days meet at midnight', () => {
    expect(at(openWindows, '2026-01-05T23:00:00Z')).toEqual(['open', null]);
    const weekdays = windows([{ days: ['mon', 'tue'], from: '00:00', to: '24:00' }]);
    expect(at(weekdays, '2026-01-05T22:59:59Z')).toEqual(['open', '2026-01-06T23:00:00.000Z']);
  });

  it('are closed in a blackout, with its reason and end', () => {
    const blackouts = [
      { from: '2026-12-24T18:00', to: '2026-12-27T00:00', reason: 'Christmas' },
      { from: '2026-12-26T12:00', to: '2026-12-28T06:00', reason: 'Stocktaking' },
    ];
    expect(at({ ...openWindows, blackouts }, '2026-12-24T16:59:00Z')).toEqual(['open', '2026-12-24T17:00:00.000Z']);
    expect(at({ ...openWindows, blackouts }, '2026-12-24T17:00:00Z')).toEqual([
      'closed',
      '2026-12-28T05:00:00.000Z',
      'Christmas',
    ]);
    expect(at({ ...nightWindows, blackouts }, '2026-12-25T22:00:00Z')).toEqual([
      'closed',
      '2026-12-28T21:00:00.000Z',
      'Christmas',
    ]);
  });

  it.each([
    // Clocks change from 02:00 to 03:00. A window that begins in the gap opens at the end of the gap.
    ['the gap', '02:30', '04:00', '2026-03-29T00:30:00Z', '2026-03-29T01:00:00.000Z'],
    // Clocks change from 03:00 to 02:00. The window is open in both occurrences of the repeated hour.
    ['the repeated hour', '02:30', '02:45', '2026-10-25T00:00:00Z', '2026-10-25T00:30:00.000Z'],
    ['the repeated hour again', '02:30', '02:45', '2026-10-25T00:50:00Z', '2026-10-25T01:30:00.000Z'],
  ])('follow the clocks through %s', (_, from, to, now, opensAt) => {
    expect(at(windows([{ days: ALL, from, to }]), now)).toEqual(['closed', opensAt, null]);
  });

  it('follow the clocks of New York', () => {
    const early = windows([{ days: ALL, from: '02:30', to: '03:30' }], { timeZone: 'America/New_York' });
    expect(at(early, '2026-03-08T06:59:00Z')).toEqual(['closed', '2026-03-08T07:00:00.000Z', null]);
    expect(at(early, '2026-03-08T07:00:00Z')).toEqual(['open', '2026-03-08T07:30:00.000Z']);
  });

  it('state in text when they open, with the time in their zone', () => {
    const state = computeWindowState(nightWindows, new Date('2026-01-10T05:00:00Z'));
    if (state.open) throw new Error('They are open.');
    expect(describeClosedWindow('production', nightWindows, state)).toBe(
      '"production" is outside of its run windows until 2026-01-12T21:00:00.000Z (12 Jan 2026, 22:00 Europe/Berlin).',
    );
  });

  it('skip a hundred blackouts quickly', () => {
    const blackouts = Array.from({ length: 100 }, (_, index) => ({
      ...{ from: `20${26 + Math.floor(index / 2)}-0${(index % 2) * 6 + 1}-01T00:00`, reason: 'x' },
      to: `20${26 + Math.floor((index + 1) / 2)}-0${((index + 1) % 2) * 6 + 1}-01T00:00`,
    }));
    const begun = spentCpuMs();
    expect(at({ ...nightWindows, blackouts }, '2026-01-10T05:00:00Z')[1]).toBe('2075-12-31T23:00:00.000Z');
    expect(spentCpuMs() - begun).toBeLessThan(500);
  });
});

describe('evaluating run windows', () => {
  it('is fast with the maximum number of spans', () => {
    const open = Array.from({ length: MAX_OPEN_SPANS }, (_, index) => ({
      ...{ days: ALL, from: `${String(index).padStart(2, '0')}:07`, to: `${String(index + 1).padStart(2, '0')}:31` },
    }));
    const many = windows(open);
    at(many, '2026-01-05T00:00:00Z');
    const begun = spentCpuMs();
    for (let hour = 0; hour < 20; hour += 1) at(many, `2026-01-05T${String(hour).padStart(2, '0')}:00:00Z`);
    expect((spentCpuMs() - begun) / 20).toBeLessThan(25);
  });
});

describe('new run windows', () => {
  const now = new Date('2026-01-05T12:00:00Z');
  it('may not be closed for more than a year', () => {
    const blackouts = [{ from: '2026-01-01T00:00', to: '2028-01-01T00:00', reason: 'never again' }];
    expect(findWindowFaults({ ...nightWindows, blackouts }, now)).toMatchObject([
      { path: '/runWindows', code: 'never_comes' },
    ]);
    expect(findWindowFaults(nightWindows, now)).toEqual([]);
  });

  it('have spans and blackouts that end after they begin', () => {
    const blackouts = [{ from: '2026-02-01T00:00', to: '2026-02-01T00:00', reason: 'x' }];
    const faults = findWindowFaults(windows([{ days: ALL, from: '08:00', to: '08:00' }], { blackouts }), now);
    expect(faults.map(({ path }) => path)).toEqual(['/runWindows/open/0/to', '/runWindows/blackouts/0/to']);
  });
});
