import { describe, expect, it } from 'vitest';
import { toLocalTime } from '../../../ui/format/local-time';
import { END_CHOICES, freezeErrors, freezeForm, freezeState, toFreeze } from './freeze-form';

const NOW = Date.parse('2026-11-23T10:00:00Z');
const freeze = {
  reason: 'Release 4.2',
  from: '2026-11-23T09:00:00.000Z',
  until: '2026-11-24T08:00:00.000Z',
  setBy: { id: 'u', name: 'Ana' },
};
const updatedAt = freeze.from;
const comingFreeze = { ...freeze, from: '2026-11-23T18:00:00.000Z' };

describe('the form of a freeze', () => {
  it('sends what it was given, to the minute', () => {
    expect(toFreeze(freezeForm({ freeze: comingFreeze, updatedAt }, NOW))).toEqual({
      reason: 'Release 4.2',
      from: comingFreeze.from,
      until: comingFreeze.until,
    });
  });

  it('does not move the beginning of one that holds', () => {
    expect(toFreeze(freezeForm({ freeze, updatedAt }, NOW))).toEqual({ reason: 'Release 4.2', until: freeze.until });
  });

  it('is empty where there is none, or it is over', () => {
    const empty = { reason: '', from: '', until: '' };
    expect(freezeForm({ freeze: null, updatedAt }, NOW)).toEqual(empty);
    expect(freezeForm({ freeze, updatedAt }, Date.parse(freeze.until))).toEqual(empty);
  });

  it('needs a reason and an end in the future and after the start', () => {
    expect(Object.keys(freezeErrors({ reason: ' ', from: '', until: '' }, NOW))).toEqual(['reason', 'until']);
    const form = { reason: 'r', from: toLocalTime(comingFreeze.from), until: toLocalTime(comingFreeze.until) };
    expect(freezeErrors(form, NOW)).toEqual({});
    expect(freezeErrors({ ...form, until: toLocalTime('2026-11-23T17:00:00Z') }, NOW).until).toMatch(/after the start/);
    expect(freezeErrors({ ...form, until: toLocalTime('2026-11-23T09:59:00Z') }, NOW).until).toMatch(/in the future/);
  });
});

it('distinguishes active, scheduled and ended freezes', () => {
  expect(freezeState({ freeze: null, updatedAt }, NOW)).toBe('none');
  expect(freezeState({ freeze, updatedAt }, NOW)).toBe('holds');
  expect(freezeState({ freeze: comingFreeze, updatedAt }, NOW)).toBe('coming');
  expect(freezeState({ freeze, updatedAt }, Date.parse(freeze.until))).toBe('none');
});

it('takes a freeze that was just set for one that holds, also by a clock that is behind', () => {
  expect(freezeState({ freeze, updatedAt }, Date.parse(freeze.from) - 5_000)).toBe('holds');
});

it('offers ends that are to come, on any day of the week', () => {
  for (let day = 1; day <= 7; day++) {
    const now = new Date(2026, 10, day, 7, 30);
    for (const { label, after } of END_CHOICES) {
      expect(after(now).getTime(), label).toBeGreaterThan(now.getTime());
      if (label.includes('Monday')) expect(after(now).getDay()).toBe(1);
    }
  }
});
