import { describe, expect, it } from '@jest/globals';
import { newId } from '../../common/ids.js';
import { computeDelayMs, type DueSchedule, computeDueWork } from './due-work.js';

const hourly = (more: Partial<DueSchedule> = {}): DueSchedule => ({
  ...{ id: newId(), cron: '0 * * * *', timeZone: 'UTC', everySeconds: null, everyFrom: new Date(0) },
  ...{ nextAt: new Date('2026-01-01T08:00Z'), jitterSeconds: 0, onMissed: 'skip' },
  ...more,
});
const at = (text: string) => new Date(`2026-01-01T${text}Z`);

describe('a due schedule', () => {
  it('starts, and is due again at the next time', () => {
    const work = { at: at('08:00:00'), starts: true, missed: 0, nextAt: at('09:00:00'), dueAt: at('09:00:00') };
    expect(computeDueWork(hourly(), at('08:00:01'))).toEqual(work);
    expect(computeDueWork(hourly(), at('08:05:00'))).toEqual(work);
  });

  it('does not start for a time long ago, and reports it', () => {
    expect(computeDueWork(hourly(), at('08:05:01'))).toMatchObject({ at: at('08:00:00'), starts: false, missed: 0 });
    expect(computeDueWork(hourly(), at('11:30:00'))).toMatchObject({ at: at('11:00:00'), starts: false, missed: 3 });
  });

  it('starts once for all missed times', () => {
    const work = computeDueWork(hourly({ onMissed: 'once' }), at('11:30:00'));
    expect(work).toMatchObject({ at: at('11:00:00'), starts: true, missed: 3, nextAt: at('12:00:00') });
  });

  it('starts for the last of several times when that one is not late', () => {
    expect(computeDueWork(hourly(), at('11:00:02'))).toMatchObject({ at: at('11:00:00'), starts: true, missed: 3 });
  });

  it('limits the count of missed times', () => {
    const minutes = hourly({ cron: '* * * * *', nextAt: new Date('2020-01-01T00:00Z') });
    expect(computeDueWork(minutes, at('00:00:30')).missed).toBe(1000);
  });

  it('has no next time after the last one', () => {
    const once = hourly({ everySeconds: null, cron: '0 8 30 2 *' });
    expect(computeDueWork(once, at('08:00:01'))).toMatchObject({ starts: true, nextAt: null, dueAt: null });
  });
});

describe('jitter', () => {
  it('delays each schedule by a constant time', () => {
    const delays = Array.from({ length: 200 }, () => computeDelayMs(hourly({ jitterSeconds: 600 })));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(600_000);
    expect(new Set(delays.map((delay) => Math.floor(delay / 100_000))).size).toBe(6);
    const schedule = hourly({ jitterSeconds: 600 });
    expect(computeDelayMs(schedule)).toBe(computeDelayMs({ ...schedule }));
  });

  it('makes no time late, and omits none', () => {
    const schedule = hourly({ jitterSeconds: 3600 });
    const delay = computeDelayMs(schedule);
    const work = computeDueWork(schedule, new Date(schedule.nextAt.getTime() + delay + 1000));
    expect(work).toMatchObject({ at: at('08:00:00'), starts: true, missed: 0, nextAt: at('09:00:00') });
    expect(work.dueAt).toEqual(new Date(at('09:00:00').getTime() + delay));
  });
});
