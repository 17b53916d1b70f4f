import { describe, expect, it } from 'vitest';
import { shortCommit, sourceStyle } from './source-state';

describe('the state of a git source', () => {
  const idle = { syncing: false, syncRequestedAt: null };

  it('describes its latest sync, which starts with the request', () => {
    expect(sourceStyle({ state: 'failed', ...idle }).label).toBe('Sync failed');
    expect(sourceStyle({ state: 'failed', ...idle, syncing: true }).label).toBe('Syncing');
    expect(sourceStyle({ state: 'ready', ...idle, syncRequestedAt: '2026-01-01T00:00:00Z' }).label).toBe('Syncing');
  });

  it('names a commit by ten digits, and none by nothing', () => {
    expect(shortCommit('0b9c2625dc21ef05f6ad4ddf47c5f203837aa32c')).toBe('0b9c2625dc');
    expect(shortCommit(null)).toBe('');
  });
});
