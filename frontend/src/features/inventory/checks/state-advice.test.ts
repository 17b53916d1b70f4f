import { describe, expect, it } from 'vitest';
import { SERVER_STATES } from '../../../ui/status/statuses';
import { isBadState, STATE_ADVICE } from './state-advice';

describe('the state of a server', () => {
  it('comes with what to do, unless it is reachable', () => {
    const silent = SERVER_STATES.filter((state) => STATE_ADVICE[state] === null);
    expect(silent).toEqual(['reachable']);
  });

  it('recommends a diagnosis for connection problems', () => {
    expect(SERVER_STATES.filter(isBadState)).toEqual([
      'host_key_changed',
      'login_refused',
      'no_commands',
      'protected_host',
      'unreachable',
    ]);
  });
});
