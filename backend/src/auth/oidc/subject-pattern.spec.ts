import { describe, expect, it } from '@jest/globals';
import { matchesSubject, isBounded } from './subject-pattern.js';

describe('a pattern of subjects', () => {
  it.each<[string, string, boolean]>([
    ['repo:acme/shop:ref:refs/heads/main', 'repo:acme/shop:ref:refs/heads/main', true],
    ['repo:acme/shop:ref:refs/heads/main', 'repo:acme/shop:ref:refs/heads/main2', false],
    ['repo:acme/shop:ref:refs/heads/main', 'REPO:acme/shop:ref:refs/heads/main', false],
    ['repo:acme/shop:*', 'repo:acme/shop:ref:refs/heads/release/1', true],
    ['repo:acme/shop:*', 'repo:acme/shop:', true],
    ['repo:acme/shop:*', 'repo:acme/shop2:ref', false],
    ['repo:acme/*:ref:refs/heads/main', 'repo:acme/shop:ref:refs/heads/main', true],
    ['repo:acme/*:ref:refs/heads/main', 'repo:acme/shop:ref:refs/heads/main-2', false],
    ['repo:acme/*:environment:prod*', 'repo:acme/shop:environment:production', true],
    ['project_path:acme/*:ref_type:branch:ref:main', 'project_path:acme/a/b:ref_type:branch:ref:main', true],
    // The matched parts may not overlap.
    ['repo:a/*aba*ba', 'repo:a/aba', false],
    ['repo:a/*aba*ba', 'repo:a/ababa', true],
    ['repo:a/ab*ab', 'repo:a/ab', false],
    ['repo:a/**', 'repo:a/x', true],
    ['repo:a/.+', 'repo:a/xy', false],
    ['repo:a/?', 'repo:a/x', false],
    ['repo:a/[x]', 'repo:a/x', false],
  ])('%s matches %s: %s', (pattern, subject, isMatch) => expect(matchesSubject(pattern, subject)).toBe(isMatch));

  it('does not backtrack', () => {
    // A backtracking matcher would take years.
    expect(matchesSubject(`a:b:${'*a'.repeat(10)}*b`, `a:b:${'a'.repeat(100_000)}`)).toBe(false);
  });

  it.each<[string, boolean]>([
    ['repo:acme/shop:*', true],
    ['repo:acme/*', true],
    ['system:serviceaccount:prod:*', true],
    ['org/1234/project/*', true],
    ['exact', true],
    ['*', false],
    ['repo:*', false],
    ['repo:acme*', false],
    ['*:ref:refs/heads/main', false],
  ])('%s is specific enough: %s', (pattern, isExpected) => expect(isBounded(pattern)).toBe(isExpected));
});
