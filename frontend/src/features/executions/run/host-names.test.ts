import { describe, expect, it } from 'vitest';
import { commonSuffix, splitName } from './host-names';

describe('host names', () => {
  it.each([
    [['web-1.eu.example.org', 'web-2.eu.example.org'], '.eu.example.org'],
    [['web-1.eu.example.org', 'db-1.us.example.org'], '.example.org'],
    [['web-1', 'web-2'], ''],
    [['web-1.example.org'], ''],
    [['.example.org', 'a.example.org'], '.org'],
    [[], ''],
  ])('%j share %j', (names, suffix) => {
    expect(commonSuffix(names)).toBe(suffix);
  });

  it('keep their end when they are cut', () => {
    expect(splitName('production-web-0042')).toEqual(['production-', 'web-0042']);
    expect(splitName('web-1')).toEqual(['', 'web-1']);
    expect(splitName(`${'é'.repeat(250)}😀😀`)[1]).toBe('éééééé😀😀');
  });
});
