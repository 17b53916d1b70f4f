import { beforeEach, describe, expect, it, vi } from 'vitest';
import { safePath } from './safe-path';

describe('the page after signing in', () => {
  beforeEach(() => vi.stubGlobal('window', { location: { origin: 'https://runward.example' } }));

  it('is the one that was asked for, with its search and fragment', () => {
    expect(safePath('/executions/1?step=a#x')).toBe('/executions/1?step=a#x');
    expect(safePath('https://runward.example/plans')).toBe('/plans');
  });

  it.each([
    'https://evil.example/plans',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    'https://runward.example.evil.example/',
    'https://runward.example@evil.example/',
    'http://runward.example/plans',
    'http://[',
    '/.//evil.example',
  ])('is the dashboard instead of %s', (target) => {
    expect(safePath(target)).toBe('/');
  });

  it('is the dashboard when none was asked for, or the sign-in page itself', () => {
    expect(safePath(undefined)).toBe('/');
    expect(safePath('')).toBe('/');
    expect(safePath('/login?redirect=/login')).toBe('/');
  });
});
