import { describe, expect, it } from '@jest/globals';
import { v7 } from 'uuid';
import { isId, newId, toLowestIdAfter, toLowestIdFrom } from './ids.js';

const AT = '2026-03-01T12:00:00.123Z';
const madeAt = (instant: string, minutes: number) => v7({ msecs: Date.parse(instant) + minutes * 60_000 });

describe('IDs', () => {
  it('are UUIDs of version 7', () => {
    expect(newId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(isId(newId())).toBe(true);
  });

  it('sort in order of creation, and never repeat', () => {
    const ids = Array.from({ length: 5000 }, newId);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([
    '',
    'x',
    '0190B5A4-7C1E-7000-8000-000000000000',
    '0190b5a47c1e70008000000000000000',
    '{0190b5a4-7c1e-7000-8000-000000000000}',
    '0190b5a4-7c1e-7000-8000-00000000000',
    '0190b5a4-7c1e-7000-8000-0000000000000',
    '0190b5a4-7c1e-7000-8000-00000000000g',
    '0190b5a4-7c1e-7000-8000-000000000000\n',
    " 0190b5a4-7c1e-7000-8000-000000000000' or 1=1",
  ])('are distinct from %j', (text) => expect(isId(text)).toBe(false));
});

describe('ID bounds', () => {
  it('contain all records of a time range when clocks differ by up to an hour', () => {
    expect(madeAt(AT, -59) >= toLowestIdFrom(AT)).toBe(true);
    expect(madeAt(AT, -61) >= toLowestIdFrom(AT)).toBe(false);
    expect(madeAt(AT, 59) < toLowestIdAfter(AT)).toBe(true);
    expect(madeAt(AT, 61) < toLowestIdAfter(AT)).toBe(false);
  });

  it.each(['0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '9999-12-31T23:59:59Z', AT])(
    'are valid IDs: %s',
    (instant) => {
      expect(isId(toLowestIdFrom(instant))).toBe(true);
      expect(isId(toLowestIdAfter(instant))).toBe(true);
    },
  );
});
