import { describe, expect, it } from '@jest/globals';
import { parseNewSelector } from './selector.js';

describe('writtenSelector', () => {
  it('accepts each known fact, and tags whose names only start like a fact', () => {
    for (const text of [
      'facts.os=debian',
      '!facts.cpus',
      'facts.osVersion in (12, 13),facts.arch!=arm',
      'facts=x',
      'factsos',
    ])
      expect(parseNewSelector(text).requirements).not.toEqual([]);
  });

  it.each([
    ['facts.osversion=12', 'There is no fact "osversion". Did you mean "osVersion"? Character 1.'],
    ['role=web,facts.memory', 'There is no fact "memory". Did you mean "memoryMb"? Character 10.'],
    ['!facts.uptime', 'There is no fact "uptime". The facts are os, osVersion, kernel'],
    ['facts.=x', 'There is no fact "". The facts are os,'],
    ['facts.__proto__ notin (a)', 'There is no fact "__proto__".'],
  ])('rejects an unknown fact: %s', (text, words) => {
    expect(() => parseNewSelector(text)).toThrow(words);
  });
});
