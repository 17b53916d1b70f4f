import { describe, expect, it } from '@jest/globals';
import { formatSelector, matchesSelector, parseSelector, SelectorError } from './selector.js';

const web = { name: 'web-1', tags: { role: 'web', region: 'eu', env: 'test' } };
const matches = (selector: string, server: { name: string; tags: Record<string, string> } = web) =>
  matchesSelector(parseSelector(selector), server);
const refusal = (text: string): SelectorError => {
  try {
    parseSelector(text);
  } catch (error) {
    if (error instanceof SelectorError) return error;
    throw error;
  }
  throw new Error(`parsed: ${text}`);
};

describe('parseSelector and matchesSelector', () => {
  it.each(['', '  \n '])('matches every server when it is empty (%j)', (text) => {
    expect(matches(text)).toBe(true);
    expect(matches(text, { name: 'x', tags: {} })).toBe(true);
  });

  it.each([
    ['role=web', true],
    ['role==web', true],
    ['role = web', true],
    ['role=db', false],
    ['role!=db', true],
    ['role!=web', false],
    ['owner!=me', true],
    ['owner=me', false],
    ['role', true],
    ['owner', false],
    ['!owner', true],
    ['! role', false],
    ['region in (eu, us)', true],
    ['region in(us)', false],
    ['region notin (eu,us)', false],
    ['owner notin (a, b)', true],
    ['role=web,region in (eu, us),!legacy,env!=prod,tier notin (a,b),role', true],
    ['role=web,region=us', false],
    ['role=Web', false],
    ['role=', false],
    ['name=web-1', true],
    ['name=web-*', true],
    ['name=web-?', true],
    ['name=*', true],
    ['name=web', false],
    ['name!=web-*', false],
    ['name!=db-*', true],
    ['name in (db-1, web-*)', true],
    ['name notin (db-1, web-*)', false],
    ['name=web-??', false],
  ])('reads %s as Kubernetes does', (selector, expected) => {
    expect(matches(selector)).toBe(expected);
  });

  it('reads the words in and notin as keys and values where the grammar expects one', () => {
    const server = { name: 'x', tags: { in: 'notin', key: 'in' } };
    expect(matches('in=notin,key in (in),in in (notin)', server)).toBe(true);
  });

  it('distinguishes an empty tag from a missing one', () => {
    expect(matches('role=', { name: 'x', tags: { role: '' } })).toBe(true);
    expect(matches('!role', { name: 'x', tags: { role: '' } })).toBe(false);
  });

  it('reads only own properties of the tags', () => {
    expect(matches('constructor')).toBe(false);
    expect(matches('!__proto__,!toString')).toBe(true);
    expect(matches('__proto__=x', { name: 'a', tags: JSON.parse('{"__proto__":"x"}') as Record<string, string> })).toBe(
      true,
    );
  });

  it("matches name against the server's name, never against a tag called name", () => {
    expect(matches('name=spoofed', { name: 'web-1', tags: { name: 'spoofed' } })).toBe(false);
  });

  it.each([
    ['role=web,', 9, 'a tag'],
    [',role=web', 0, 'a tag'],
    ['role=web region=eu', 9, '","'],
    ['role web', 5, '"="'],
    ['region in eu', 10, '"("'],
    ['region in ()', 11, 'a value'],
    ['region in (eu', 13, '")"'],
    ['region in (eu,)', 14, 'a value'],
    ['tier>3', 4, 'compared'],
    ['!env=prod', 4, 'must be alone'],
    ['!', 1, 'a tag'],
    ['role="web"', 5, 'a value'],
    ['role=web*', 5, 'only in values of name'],
    ['ro*=web', 0, 'only in values of name'],
    ['name', 4, 'Every server has a name'],
    ['!name', 1, 'Every server has a name'],
    ['name=', 5, 'a name or glob'],
    ['role=we\u0000b', 7, 'found'],
  ])('refuses %j at character %i and shows an example', (text, position, words) => {
    const error = refusal(text);
    expect(error.position).toBe(position);
    expect(error.message).toContain(words);
    expect(error.message).toMatch(/Example: \S/);
  });

  it('limits its length and its number of conditions', () => {
    expect(refusal('a'.repeat(1001)).message).toContain('at most 1000 characters');
    expect(refusal(Array.from({ length: 51 }, (_, i) => `t${i}`).join(',')).message).toContain('at most 50 conditions');
    expect(parseSelector(Array.from({ length: 50 }, (_, i) => `t${i}`).join(',')).requirements).toHaveLength(50);
  });

  it('evaluates a hostile glob without backtracking blow-up', () => {
    expect(matches(`name=${'*a'.repeat(400)}b`, { name: 'a'.repeat(5000), tags: {} })).toBe(false);
  });

  it('counts a character outside the basic plane as one for ?', () => {
    expect(matches('name=web-?', { name: 'web-🚀', tags: {} })).toBe(true);
  });

  it.each([
    ['  role == web , region in ( eu,us )', 'role=web,region in (eu, us)'],
    ['region in (eu),tier notin (a)', 'region=eu,tier!=a'],
    ['!legacy,gpu,name!=web-*', '!legacy,gpu,name!=web-*'],
    ['role=', 'role='],
    ['', ''],
  ])('formats %j in short form, which parses to the same selector', (text, written) => {
    const selector = parseSelector(text);
    expect(formatSelector(selector)).toBe(written);
    expect(parseSelector(formatSelector(selector))).toEqual(selector);
  });
});
