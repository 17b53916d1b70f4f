import { describe, expect, it } from '@jest/globals';
import { findTimeZoneFault } from './time-zone.js';

describe('the name of a time zone', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'US/Eastern', 'Etc/GMT+1'])(
    'is accepted: %s',
    (name) => expect(findTimeZoneFault(name)).toBeNull(),
  );

  it.each([
    ['Europe/Berln', 'Europe/Berlin'],
    ['Berlin', 'Europe/Berlin'],
    ['new york', 'America/New_York'],
    ['Tokio', 'Asia/Tokyo'],
  ])('is rejected with the nearest name: %s', (name, nearest) =>
    expect(findTimeZoneFault(name)).toBe(`timeZone is not the name of a time zone. Did you mean ${nearest}?`),
  );

  it.each(['+01:00', '', '../etc', 'x'.repeat(65), 7, null])('is rejected with an example: %p', (name) =>
    expect(findTimeZoneFault(name)).toContain('Use a name such as Europe/Berlin'),
  );
});
