import { describe, expect, it } from 'vitest';
import { linesOfMap, mapOfLines } from './text-map';

describe('a map as lines', () => {
  it('is unchanged after a round trip', () => {
    const map = { LANG: 'C.UTF-8', EMPTY: '', QUERY: 'a=b=c', PADDED: '  x  ' };
    expect(mapOfLines(linesOfMap(map))).toEqual(map);
  });

  it('keeps values of several lines, and those that look as if they were written that way', () => {
    const map = { KEY: 'one\ntwo=2\r\nthree', PLAIN: '"x"', ODD: '"a\\nb"', TWICE: '"\\"x\\""', OPEN: '"x' };
    const lines = linesOfMap(map);
    expect(lines.split('\n')).toHaveLength(5);
    expect(mapOfLines(lines)).toEqual(map);
  });

  it('takes quotes around a plain value for a part of it', () => {
    expect(mapOfLines('A="x"\nB="not closed')).toEqual({ A: '"x"', B: '"not closed' });
  });

  it('is split at the first equals sign, without spaces around the name', () => {
    expect(mapOfLines(' A = 1=2 ')).toEqual({ A: ' 1=2 ' });
  });

  it('ignores blank lines and takes a line without an equals sign for a name', () => {
    expect(mapOfLines('\n  \nDEBUG\n')).toEqual({ DEBUG: '' });
    expect(mapOfLines('')).toEqual({});
  });

  it('keeps the last of two lines with one name', () => {
    expect(mapOfLines('A=1\nA=2')).toEqual({ A: '2' });
  });

  it('takes a name that objects inherit for an ordinary one', () => {
    expect(Object.entries(mapOfLines('__proto__=x\nconstructor=y'))).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});
