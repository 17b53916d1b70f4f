import { describe, expect, it } from 'vitest';
import type { Server } from '../../../api/types';
import { hostKeyState } from './host-key-state';

const key = (fingerprint: string) =>
  ({ fingerprint }) as NonNullable<Server['hostKey']> & NonNullable<Server['seenHostKey']>;

describe('the state of a host key', () => {
  it('is changed when the host showed another key than the accepted one', () => {
    expect(hostKeyState({ hostKey: key('a'), seenHostKey: key('b') })).toBe('changed');
    expect(hostKeyState({ hostKey: key('a'), seenHostKey: key('a') })).toBe('accepted');
    expect(hostKeyState({ hostKey: key('a'), seenHostKey: null })).toBe('accepted');
  });

  it('waits for a person once a key was seen, and is unseen before', () => {
    expect(hostKeyState({ hostKey: null, seenHostKey: key('a') })).toBe('waiting');
    expect(hostKeyState({ hostKey: null, seenHostKey: null })).toBe('unseen');
  });
});
