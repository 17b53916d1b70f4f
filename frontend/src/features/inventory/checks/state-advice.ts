import type { ServerState } from '../../../api/types';

const BAD: readonly ServerState[] = [
  'login_refused',
  'no_commands',
  'unreachable',
  'protected_host',
  'host_key_changed',
];

export const isBadState = (state: ServerState): boolean => BAD.includes(state);

/** Next action for a server in this state; null: none. */
export const STATE_ADVICE: Record<ServerState, string | null> = {
  unchecked: 'Check the server before its first run. The check shows its host key and signs in.',
  reachable: null,
  host_key_unknown:
    'Compare the host key with the key on the host and accept it. Until then, runs fail on this server.',
  host_key_accepted: 'Check the server again. Runward has not signed in since the key was accepted.',
  host_key_changed: 'Find out why the host key has changed. Until the new key is accepted, runs fail on this server.',
  login_refused: 'Diagnose the connection. The diagnosis shows the line for authorized_keys on the host.',
  no_commands: 'Diagnose the connection. The diagnosis shows why the shell of the login user runs no commands.',
  protected_host: 'The host belongs to a protected environment. Run the plan there, or register another host.',
  unreachable: 'Diagnose the connection. The diagnosis shows which step fails.',
};
