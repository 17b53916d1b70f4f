import { describe, expect, it } from 'vitest';
import { toInstant, toLocalTime } from './local-time';

describe('a time in a local input', () => {
  it('comes back as the same minute, in whatever zone the browser is', () => {
    for (const iso of ['2026-01-15T10:30:00.000Z', '2026-07-15T23:59:00.000Z'])
      expect(toInstant(toLocalTime(iso))).toBe(iso);
  });

  it('is empty when there is none, and none while it is incomplete', () => {
    expect(toLocalTime(undefined)).toBe('');
    expect(toInstant('')).toBeUndefined();
    expect(toInstant('2026-13-01T00:00')).toBeUndefined();
  });

  it('has the form of a datetime-local input', () => {
    expect(toLocalTime('2026-01-15T10:30:59.999Z')).toMatch(/^2026-01-1\d+T\d\d:\d\d$/);
  });
});
