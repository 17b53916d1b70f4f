import { describe, expect, it } from '@jest/globals';
import { LinearPattern, PatternError } from './linear-pattern.js';

const matches = (pattern: string, text: string) => new LinearPattern(pattern).matches(text);

/** Deterministic, so that failures can be reproduced. */
function numbers(seed: number): (randomBelow: number) => number {
  let state = seed;
  return (randomBelow) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % randomBelow;
  };
}

describe('linear pattern', () => {
  it.each([
    ['v\\d+\\.\\d+', 'v1.22', true],
    ['v\\d+', 'xv1', false],
    ['^v\\d+$', 'v1', true],
    ['a|bc', 'bc', true],
    ['a|bc', 'b', false],
    ['(?:ab)*', 'ababab', true],
    ['(ab)*', 'aba', false],
    ['(?<year>\\d{4})-\\d{2}', '2026-11', true],
    ['[^,\\]]{2,3}', 'ab', true],
    ['[^,\\]]{2,3}', 'a]', false],
    ['a{2,}', 'a', false],
    ['a{0}', '', true],
    ['a+?b??', 'aa', true],
    ['.', '\n', false],
    ['.', '🚀', true],
    ['\\u{1F680}|\\uD83D\\uDE80', '🚀', true],
    ['\\p{Lu}\\p{Ll}+', 'Österreich', true],
    ['\\bweb\\b.*', 'web-1', true],
    ['web\\b1', 'web1', false],
    ['', '', true],
    ['(|a)+', 'aa', true],
    ['(a*)*', 'aaa', true],
    ['[\\d\\-.]+', '1-2.3', true],
  ])('%s covers %j: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  it.each(['(a+)+$', '(a|a)*b', '(.*)*x', '(a|aa)+c', '\\s*\\s*\\s*\\s*,', '([a-z]+)*\\d'])(
    'matches %s in bounded time where backtracking would not end',
    (pattern) => {
      expect(matches(pattern, `${'a'.repeat(9000)}!`)).toBe(false);
    },
  );

  it.each([
    ['(', 'not a regular expression'],
    ['[z-a]', 'not a regular expression'],
    ['a{2,1}', 'not a regular expression'],
    ['(?=a)a', 'Look-ahead'],
    ['(?<!a)b', 'Look-ahead'],
    ['(?i:a)', 'Look-ahead'],
    ['(a)\\1', 'Back-references'],
    ['(?<x>a)\\k<x>', 'Back-references'],
    ['a{1001}', 'at most 1000'],
    ['((a{100}){100}){100}', 'too large'],
    ['((((){1000}){1000}){1000}){1000}', 'too large'],
    ['a'.repeat(201), 'at most 200 characters'],
  ])('rejects %s with a reason', (pattern, words) => {
    expect(() => new LinearPattern(pattern)).toThrow(PatternError);
    expect(() => new LinearPattern(pattern)).toThrow(words);
  });

  it('does not match a text above the length limit', () => {
    expect(matches('a*', 'a'.repeat(10_000))).toBe(true);
    expect(matches('a*', 'a'.repeat(10_001))).toBe(false);
  });

  it.each([
    String.raw`. [^] [] \s \S [^\s] [\S\d] \w \W \d \D [\w-] [\b] [\]\^-]`,
    String.raw`\p{L} \P{Lu} \p{Letter} \p{gc=Lu} \p{Script=Greek} [^\p{scx=Hira}] \p{Emoji} \p{ASCII}`,
    String.raw`\uD83D\uDE80 \uD83D [\u{1F680}-\u{1F6FF}] \x41 \cJ [\cJ] \0 [[:alpha:] [a&&b] \/`,
    String.raw`(?<näme>a) (?<$x>a) (?<\u{61}b>a) ^a$ a$\n? \Ba \b a\b\n`,
  ])('agrees with the native engine on %s', (sources) => {
    const characters = 'aAzZ0_-/:[]^&\b\0\n\r\t\v\f\u00a0\u0085\u180e\u2028\u3000\ufeffßſKΩяǅⅧ漢やー٣🚀👍\ud83d';
    for (const source of sources.split(' ')) {
      const pattern = new LinearPattern(source);
      const native = new RegExp(`^(?:${source})$`, 'u');
      for (const text of ['', 'aa', 'a\n', 'a\u0300', ...characters]) {
        expect({ source, text, matches: pattern.matches(text) }).toEqual({ source, text, matches: native.test(text) });
      }
    }
  });

  it('agrees with the native engine on random small patterns', () => {
    const pick = numbers(7);
    const atoms = ['a', 'b', '.', '[ab]', '[^a]', '\\w', '(?:', '(', '\\b', '^', '$'];
    const part = (depth: number): string => {
      const atom = atoms[pick(depth > 2 ? 6 : atoms.length)] as string;
      if (atom.startsWith('('))
        return `${atom}${sequence(depth + 1)}${pick(2) ? `|${sequence(depth + 1)}` : ''})${quantifier()}`;
      return /^[\^$]|\\b/.test(atom) ? atom : atom + quantifier();
    };
    const quantifier = () => ['', '', '*', '+', '?', '{2}', '{1,2}', '*?'][pick(8)] as string;
    const sequence = (depth: number): string => Array.from({ length: pick(4) }, () => part(depth)).join('');
    for (let i = 0; i < 3000; i++) {
      const source = `${sequence(0)}${pick(3) ? '' : `|${sequence(0)}`}`;
      const pattern = new LinearPattern(source);
      const native = new RegExp(`^(?:${source})$`, 'u');
      for (let j = 0; j < 8; j++) {
        const text = Array.from({ length: pick(6) }, () => 'ab -'[pick(4)]).join('');
        expect({ source, text, matches: pattern.matches(text) }).toEqual({ source, text, matches: native.test(text) });
      }
    }
  });
});
