import { describe, expect, it } from 'vitest';
import { dayText, formOf, weekOf, toRunWindows } from './windows-form';

describe('the week of run windows', () => {
  it('shows what goes beyond midnight on both days', () => {
    const week = weekOf([{ days: ['sun'], from: '22:00', to: '06:00' }]);
    expect(dayText(week.get('sun') ?? [])).toBe('22:00–24:00');
    expect(dayText(week.get('mon') ?? [])).toBe('00:00–06:00');
    expect(dayText(week.get('tue') ?? [])).toBe('closed');
  });

  it('shows hours that meet as one', () => {
    const week = weekOf([
      { days: ['mon'], from: '08:00', to: '12:00' },
      { days: ['mon'], from: '12:00', to: '24:00' },
      { days: ['mon'], from: '09:00', to: '10:00' },
    ]);
    expect(dayText(week.get('mon') ?? [])).toBe('08:00–24:00');
  });

  it('leaves out what is typed only in part', () => {
    expect(dayText(weekOf([{ days: ['mon'], from: '', to: '10:00' }]).get('mon') ?? [])).toBe('closed');
  });
});

describe('the form', () => {
  it('saves none when runs may begin at any time', () => {
    expect(toRunWindows(formOf(null, 'Europe/Berlin'))).toBeNull();
    const windows = { timeZone: 'UTC', open: [{ days: ['mon' as const], from: '08:00', to: '10:00' }], blackouts: [] };
    expect(toRunWindows(formOf(windows, 'Europe/Berlin'))).toEqual(windows);
  });
});
