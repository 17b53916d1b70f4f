import { describe, expect, it } from '@jest/globals';
import { v7 } from 'uuid';
import { toLowestIdAfter, toLowestIdFrom } from './id-bounds.js';
import { isId } from './ids.js';

const AT = '2026-03-01T12:00:00.123Z';
const madeAt = (instant: string, minutes: number) => v7({ msecs: Date.parse(instant) + minutes * 60_000 });

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
