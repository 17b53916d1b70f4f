import { screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { fakeServer } from '../../../../test/fake-server';
import { renderComponent } from '../../../../test/render';
import type { Occurrences } from '../../../api/types';
import { daysOf, entriesByDay, localDate } from './calendar-entries';
import { ScheduleCalendar } from './ScheduleCalendar';

const { answer } = fakeServer();

const schedule = (id: string, more: object = {}) => ({
  ...{ id, name: `Job ${id}`, planName: 'Backup', environmentId: 'e1', environmentName: 'live', cron: '0 2 * * *' },
  ...{ everySeconds: null, timeZone: 'UTC', enabled: true, frequent: false },
  ...more,
});
const fire = (scheduleId: string, at: string, more: object) => ({
  ...{ id: at, scheduleId, at, firedAt: at, executionId: null, executionStatus: null, reason: null },
  ...{ blockedBy: null, missed: 0, outcome: 'started' as const },
  ...more,
});
const AT = new Date(2026, 10, 10, 12).toISOString();
const NEXT = new Date(2026, 10, 24, 12).toISOString();
const DATA: Occurrences = {
  schedules: [schedule('a'), schedule('b'), schedule('c', { frequent: true }), schedule('d', { enabled: false })],
  past: [
    fire('a', AT, { executionId: 'x1', executionStatus: 'FAILED' }),
    fire('b', AT, { outcome: 'missed', missed: 3 }),
  ],
  coming: ['a', 'b'].map((scheduleId) => ({ scheduleId, at: NEXT })),
  ...{ moreSchedules: false, truncated: false },
};

describe('the days of a calendar', () => {
  it('are whole weeks from Monday, also when clocks change', () => {
    const month = daysOf('2026-11-28', 'month');
    expect([month.length, localDate(month[0] as Date), localDate(month.at(-1) as Date)]).toEqual([
      42,
      '2026-10-26',
      '2026-12-06',
    ]);
    expect(daysOf('2026-10-28', 'week').map(localDate)).toEqual(
      ['26', '27', '28', '29', '30', '31'].map((day) => `2026-10-${day}`).concat('2026-11-01'),
    );
    expect(new Set(daysOf('2026-03-15', 'month').map(localDate)).size).toBe(42);
  });

  it('have one entry a schedule, with its worst result', () => {
    const later = new Date(2026, 10, 10, 13).toISOString();
    const past = [fire('a', later, { executionStatus: 'SUCCEEDED', executionId: 'x2' }), ...DATA.past];
    const [entry] = entriesByDay({ ...DATA, past }).get('2026-11-10') ?? [];
    expect(entry).toMatchObject({ at: AT, count: 2, executionId: 'x1', result: { label: 'Failed' } });
  });

  it('mark schedules that start at the same time in one environment only', () => {
    const coming = entriesByDay(DATA).get('2026-11-24') ?? [];
    expect(coming.map(({ overlaps }) => overlaps)).toEqual([['Job b'], ['Job a']]);
    const schedules = [schedule('a'), schedule('b', { environmentId: 'e2' })];
    expect(
      entriesByDay({ ...DATA, schedules })
        .get('2026-11-24')
        ?.flatMap(({ overlaps }) => overlaps),
    ).toEqual([]);
  });
});

describe('the calendar', () => {
  function show(more: Partial<Occurrences> = {}) {
    answer('get', '/api/schedules/occurrences', { ...DATA, ...more });
    const onMove = vi.fn();
    return {
      ...renderComponent(<ScheduleCalendar filters={{}} date="2026-11-28" span="month" onMove={onMove} />),
      onMove,
    };
  }

  it('shows results, gaps and overlaps, and names what has no entry', async () => {
    show();
    const days = within(await screen.findByRole('list', { name: 'Days' }));
    expect(days.getByRole('link', { name: 'Failed: open run of Job a' }).getAttribute('href')).toBe('/executions/x1');
    expect(days.getByRole('img', { name: 'Missed' })).toBeTruthy();
    expect(days.getByText('3 missed')).toBeTruthy();
    expect(days.getAllByRole('img', { name: 'Coming' })).toHaveLength(2);
    expect(days.getByRole('img', { name: 'Same time in live as Job b' })).toBeTruthy();
    expect(screen.getByText(/^Frequent/).textContent).toContain('Job c');
    expect(screen.getByText(/^Paused/).textContent).toContain('Job d');
  });

  it('moves by month, and says when schedules are missing', async () => {
    const { user, onMove } = show({ moreSchedules: true });
    expect(await screen.findByText(/Only the first 200 schedules/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Next month' }));
    expect(onMove).toHaveBeenCalledWith({ date: '2026-12-01' });
  });
});
