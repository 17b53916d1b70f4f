import { describe, expect, it } from '@jest/globals';
import compare from './compare-thread.js';

const difference = (before: string, after: string) =>
  compare({ path: '/a', before, after, labels: ['before', 'after'], timeoutMs: 1000 }) ?? '';

describe('diff of a file with secrets', () => {
  it.each([
    ['a=1\npassword=FORMER\nb=2\n', 'a=1\npassword=‹secret PW›\nb=3\n'],
    ['password=FORMER\na=1\nb=1\n', 'a=1\nb=1\nc=1\nd=1\npassword=‹secret PW›\n'],
    ['-----BEGIN\nFORMER1\nFORMER2\n-----END\n', '‹secret KEY›\n'],
    ['url: http://u:FORMER@h/\n', 'url: http://u:‹secret PW›@h/\n'],
    ['  FORMER\n', '  ‹secret PW›\n'],
  ])('hides earlier values of secrets in %j', (before, after) => {
    expect(difference(before, after)).toContain('earlier secret');
    expect(difference(before, after)).not.toContain('FORMER');
  });

  it('shows other lines unchanged', () => {
    const diff = difference('a=1\nb=1\npw=‹secret PW›\n', 'a=1\nb=2\npw=‹secret PW›\n');
    expect(diff).toContain('-b=1\n+b=2\n pw=‹secret PW›');
    expect(difference('same\n-x\n', 'same\n-y\n')).toContain('--x\n+-y');
  });
});
