import { describe, expect, it } from 'vitest';
import { localTime, monthsOf } from './calendar';

describe('the calendar of next times', () => {
  it('shows times by the clocks of their zone, with what the zone is called then', () => {
    expect(localTime('2026-10-25T00:30:00.000Z', 'Europe/Berlin')).toEqual({
      date: '2026-10-25',
      time: '02:30',
      text: 'Sun 25 Oct 2026, 02:30 CEST',
    });
    expect(localTime('2026-10-25T01:30:00.000Z', 'Europe/Berlin').text).toBe('Sun 25 Oct 2026, 02:30 CET');
    expect(localTime('2026-03-08T04:30:00.000Z', 'America/New_York').date).toBe('2026-03-07');
  });

  it('has the months in which times lie, with weeks that begin on Monday', () => {
    const times = ['2026-11-30T01:30:00Z', '2026-12-01T01:30:00Z', '2026-12-01T13:30:00Z'].map((iso) =>
      localTime(iso, 'UTC'),
    );
    const [november, december, ...more] = monthsOf(times, 2);
    expect([november?.name, december?.name, more]).toEqual(['November 2026', 'December 2026', []]);
    // 30 November 2026 is a Monday.
    expect(november?.weeks.at(-1)?.map((day) => day?.day ?? 0)).toEqual([30, 0, 0, 0, 0, 0, 0]);
    expect(december?.weeks[0]?.[1]).toEqual({ date: '2026-12-01', day: 1, times: ['01:30', '13:30'] });
    expect(monthsOf(times, 1)).toHaveLength(1);
  });
});
