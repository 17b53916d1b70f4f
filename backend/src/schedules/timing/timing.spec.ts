import { describe, expect, it } from '@jest/globals';
import {
  getLatestTime,
  computeNextTime,
  listTimesBetween,
  nextTimes,
  type Timing,
  countTimesBetween,
} from './timing.js';

const cron = (expression: string, timeZone: string): Timing => ({
  ...{ cron: expression, timeZone, everySeconds: null, everyFrom: new Date(0) },
});
const every = (everySeconds: number, from: string): Timing => ({
  ...{ cron: null, timeZone: 'UTC', everySeconds, everyFrom: new Date(from) },
});
const next = (timing: Timing, after: string, count: number) =>
  nextTimes(timing, new Date(after), count).map((time) => time.toISOString().slice(5, 16));

describe('a fixed time of day', () => {
  it.each([
    // Clocks change from 02:00 to 03:00. 02:30 does not exist on that day, so the occurrence is at the end of the gap.
    ['Europe/Berlin', '30 2 * * *', '2026-03-28T12:00Z', ['03-29T01:00', '03-30T00:30', '03-31T00:30']],
    ['America/New_York', '30 2 * * *', '2026-03-07T12:00Z', ['03-08T07:00', '03-09T06:30', '03-10T06:30']],
    ['Europe/Berlin', '30 2,14 * * *', '2026-03-28T20:00Z', ['03-29T01:00', '03-29T12:30', '03-30T00:30']],
    // Clocks change from 03:00 to 02:00 (in New York from 02:00 to 01:00). The hour repeats, but the time occurs once.
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00Z', ['10-25T00:30', '10-26T01:30', '10-27T01:30']],
    ['America/New_York', '30 1 * * *', '2026-10-31T12:00Z', ['11-01T05:30', '11-02T06:30', '11-03T06:30']],
  ])('in %s, %s, occurs exactly once when clocks change', (zone, expression, after, times) => {
    expect(next(cron(expression, zone), after, 3)).toEqual(times);
  });
});

describe('each quarter of an hour', () => {
  const quarters = ['00:45', '01:00', '01:15', '01:30', '01:45', '02:00', '02:15'];
  it.each([
    ['Europe/Berlin', '03-29', 0],
    ['Europe/Berlin', '10-25', 0],
    ['America/New_York', '03-08', 6],
    ['America/New_York', '11-01', 5],
  ])('continues in %s on %s across the change of clocks', (zone, day, hours) => {
    const at = (time: string) => {
      const [hour = 0, minute = 0] = time.split(':').map(Number);
      return `${day}T${String(hour + hours).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
    };
    expect(next(cron('*/15 * * * *', zone), `2026-${at('00:30')}Z`, 7)).toEqual(quarters.map(at));
  });
});

describe('times', () => {
  it('never occur on a date that does not exist', () => {
    expect(computeNextTime(cron('0 0 30 2 *', 'UTC'), new Date())).toBeNull();
  });

  it('at intervals count from a fixed moment, even when clocks change', () => {
    expect(next(every(3600, '2026-03-28T22:30:15Z'), '2026-03-28T23:30:15Z', 3)).toEqual([
      '03-29T00:30',
      '03-29T01:30',
      '03-29T02:30',
    ]);
    expect(next(every(3600, '2026-03-28T22:30:15Z'), '2026-01-01T00:00Z', 1)).toEqual(['03-28T23:30']);
  });

  it.each([
    ['2026-10-25T01:29:59.500Z', '2026-10-25T01:15:00.000Z'],
    ['2026-10-25T01:30:00.000Z', '2026-10-25T01:30:00.000Z'],
    ['2026-10-25T01:30:00.400Z', '2026-10-25T01:30:00.000Z'],
  ])('have a last one that is not after %s', (at, latest) => {
    expect(getLatestTime(cron('*/15 * * * *', 'Europe/Berlin'), new Date(at))?.toISOString()).toBe(latest);
  });

  it('at intervals have a last one, but none before the first', () => {
    const timing = every(60, '2026-01-01T00:00:00Z');
    expect(getLatestTime(timing, new Date('2026-01-01T00:02:30Z'))?.toISOString()).toBe('2026-01-01T00:02:00.000Z');
    expect(getLatestTime(timing, new Date('2026-01-01T00:00:30Z'))).toBeNull();
  });

  it('between two moments are counted up to a limit', () => {
    const [from, to] = [new Date('2026-01-01T00:00Z'), new Date('2026-01-02T00:00Z')];
    expect(countTimesBetween(cron('0 * * * *', 'UTC'), from, to, 1000)).toBe(24);
    expect(countTimesBetween(cron('* * * * *', 'UTC'), from, to, 1000)).toBe(1000);
    expect(countTimesBetween(every(3600, '2026-01-01T00:00Z'), from, to, 1000)).toBe(24);
    expect(countTimesBetween(every(60, '2026-01-01T00:00Z'), to, from, 1000)).toBe(0);
  });
});

describe('occurrences in a period', () => {
  const between = (timing: Timing, from: string, before: string, limit = 100) =>
    listTimesBetween(timing, new Date(from), new Date(before), limit).map((time) => time.toISOString().slice(5, 16));

  it('include its beginning, but not its end', () => {
    const midnights = ['11-01T00:00', '11-02T00:00'];
    expect(between(cron('0 0 * * *', 'UTC'), '2026-11-01T00:00:00Z', '2026-11-03T00:00:00Z')).toEqual(midnights);
    expect(between(every(86_400, '2026-10-01T00:00Z'), '2026-11-01T00:00:00Z', '2026-11-03T00:00:00Z')).toEqual(
      midnights,
    );
    expect(between(cron('0 0 * * *', 'UTC'), '2026-11-01T00:00:00.500Z', '2026-11-02T00:00:00.500Z')).toEqual([
      midnights[1],
    ]);
  });

  it.each([
    ['a gap', '2026-03-28T00:00Z', ['03-28T01:30', '03-29T01:00', '03-30T00:30']],
    ['a repeated hour', '2026-10-24T00:00Z', ['10-24T00:30', '10-25T00:30', '10-26T01:30']],
  ])('follow the clocks of their zone through %s', (_, from, times) => {
    const before = new Date(Date.parse(from) + 3 * 86_400_000).toISOString();
    expect(between(cron('30 2 * * *', 'Europe/Berlin'), from, before)).toEqual(times);
  });

  it('are at most the limit', () => {
    for (const timing of [cron('* * * * *', 'UTC'), every(60, '2026-01-01T00:00Z')])
      expect(between(timing, '2026-11-01T00:00Z', '2026-12-01T00:00Z', 7)).toHaveLength(7);
  });
});
