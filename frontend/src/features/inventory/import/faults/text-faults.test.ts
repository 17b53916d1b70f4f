import { describe, expect, it } from 'vitest';
import { lineRange, placeOf, textFault } from './text-faults';

describe('a fault of a text', () => {
  it.each([
    ['Line 3, "web-1": A port is missing.', { line: 3, entry: 'web-1' }, 'A port is missing.'],
    ['Line 12: Nothing: at all.', { line: 12 }, 'Nothing: at all.'],
    ['"web-1": Its address is none.', { entry: 'web-1' }, 'Its address is none.'],
    ['Send a list: this is none.', {}, 'Send a list: this is none.'],
    ['Line 1, "a": "b" is no port.', { line: 1, entry: 'a' }, '"b" is no port.'],
  ])('has a message without its position: %s', (message, place, rest) => {
    expect(textFault({ message, ...place })).toEqual({ line: null, entry: null, ...place, message: rest });
  });

  it('has a line and an entry, if known', () => {
    expect(placeOf({ line: 1200, entry: 'web-1' })).toBe('Line 1200, web-1');
    expect(placeOf({ line: 3, entry: null })).toBe('Line 3');
    expect(placeOf({ line: null, entry: 'web-1' })).toBe('web-1');
    expect(placeOf({ line: null, entry: null })).toBe('');
  });
});

describe('a line of a text', () => {
  const text = '[web]\nweb-1\n\nweb-2';
  it.each([
    [1, '[web]'],
    [2, 'web-1'],
    [3, ''],
    [4, 'web-2'],
    [9, 'web-2'],
  ])('is found by its number %i', (line, found) => {
    expect(text.slice(...lineRange(text, line))).toBe(found);
  });
});
