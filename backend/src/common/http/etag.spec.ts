import { describe, expect, it } from '@jest/globals';
import { toEtag, parseIfMatch } from './etag.js';

describe('entity tags', () => {
  it.each([0, 1, 42, Number.MAX_SAFE_INTEGER])('of version %i are read back', (version) => {
    expect(toEtag(version)).toBe(`"${version}"`);
    expect(parseIfMatch(toEtag(version))).toBe(version);
  });

  it('are read though a proxy weakened them', () => {
    expect(parseIfMatch('W/"7"')).toBe(7);
    expect(parseIfMatch(' "7" ')).toBe(7);
  });

  it.each([
    '',
    '*',
    '7',
    '"',
    '""',
    '"x"',
    '"-1"',
    '"+1"',
    '"1.0"',
    '"1e3"',
    '"007"',
    '"9007199254740993"',
    '"1","2"',
    'w/"7"',
    "'7'",
  ])('that are not ours name no version: %j', (header) => expect(parseIfMatch(header)).toBeNull());
});
