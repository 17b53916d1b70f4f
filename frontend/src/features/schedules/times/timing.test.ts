import { describe, expect, it } from 'vitest';
import { cronParts, intervalOf, timingOf, timingText } from './timing';

const form = { kind: 'cron' as const, cron: ' 0 2 * * * ', timeZone: 'UTC', every: 2, unit: '3600' };

describe('when a schedule starts', () => {
  it('is asked for by an expression or an interval, never by both', () => {
    expect(timingOf(form)).toEqual({ cron: '0 2 * * *', timeZone: 'UTC' });
    expect(timingOf({ ...form, kind: 'interval' })).toEqual({ everySeconds: 7200, timeZone: 'UTC' });
  });

  it('has a description', () => {
    expect(timingText({ cron: '0 2 * * *', everySeconds: null, timeZone: 'Europe/Berlin' })).toBe(
      'Daily at 02:00 (Europe/Berlin)',
    );
    expect(timingText({ cron: '7 2 * * *', everySeconds: null, timeZone: 'UTC' })).toBe('7 2 * * * (UTC)');
    expect(timingText({ cron: null, everySeconds: 5400, timeZone: 'UTC' })).toBe('Every 90 minutes');
    expect(timingText({ cron: null, everySeconds: 86_400, timeZone: 'UTC' })).toBe('Every day');
  });

  it('has intervals in their largest unit', () => {
    expect(intervalOf(3600)).toEqual({ every: 1, unit: '3600' });
    expect(intervalOf(90)).toEqual({ every: 1.5, unit: '60' });
  });

  it('has fields with names while it is typed', () => {
    expect(cronParts('0 2  * *')).toEqual([
      { name: 'minute', text: '0' },
      { name: 'hour', text: '2' },
      { name: 'day of month', text: '*' },
      { name: 'month', text: '*' },
    ]);
    expect(cronParts('1 2 3 4 5 6').at(-1)).toEqual({ name: null, text: '6' });
  });
});
