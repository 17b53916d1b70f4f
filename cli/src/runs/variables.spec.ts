import { describe, expect, it } from '@jest/globals';
import { parseValues, convertValues } from './variables.ts';

const DECLARED = [
  { name: 'S', type: 'string' as const },
  { name: 'I', type: 'integer' as const },
  { name: 'N', type: 'number' as const },
  { name: 'B', type: 'boolean' as const },
  { name: 'L', type: 'list' as const },
];
const values = (options: string[], text: string | null = null) => convertValues(parseValues(options, text), DECLARED);

describe('values of variables', () => {
  it('are converted to the declared types', () => {
    expect(values(['S=007', 'I=-7', 'N=1.5e3', 'B=true', 'L=a, b,c'])).toEqual({
      S: '007',
      I: -7,
      N: 1500,
      B: true,
      L: ['a', 'b', 'c'],
    });
    expect(values(['L=["a,b", 1]'])).toEqual({ L: ['a,b', 1] });
    expect(values(['L='])).toEqual({ L: [] });
  });

  it('stay strings when the type or name does not match', () => {
    const odd = { I: '1.5', N: 'NaN', B: 'yes', X: '1' };
    expect(values(Object.entries(odd).map(([name, value]) => `${name}=${value}`))).toEqual(odd);
    expect(values(['I=99999999999999999999'])).toEqual({ I: '99999999999999999999' });
    expect(values(['L=[broken'])).toEqual({ L: '[broken' });
  });

  it('come from a file as lines or JSON, and options override it', () => {
    expect(values(['S=option'], 'S=file\n\n  I=3\r\n')).toEqual({ S: 'option', I: 3 });
    expect(values([], '{"S": "a\\nb", "L": [1], "B": false, "I": "4"}')).toEqual({ S: 'a\nb', L: [1], B: false, I: 4 });
    expect(values([], 'S= $(id) "x" = \'y\' ')).toEqual({ S: ` $(id) "x" = 'y' ` });
  });

  it('are refused with their position, never quoting their text', () => {
    for (const text of ['S=1\nsecret value', '{"S": secret}', '=secret']) {
      expect(() => parseValues([], text)).toThrow(/Line \d|JSON/);
      expect(() => parseValues([], text)).not.toThrow(/secret/);
    }
    expect(() => parseValues(['secret'], null)).toThrow('--var must be NAME=value.');
    expect(() => parseValues(['S=1', 'S=2'], null)).toThrow('--var S occurs twice.');
  });
});
