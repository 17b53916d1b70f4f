import type { ServerState } from '../../../api/types';

/** States in which the connection doctor has something to find. */
const BAD: readonly ServerState[] = [
  'login_refused',
  'no_commands',
  'unreachable',
  'protected_host',
  'host_key_changed',
];

export const isBadState = (state: ServerState): boolean => BAD.includes(state);

/** What a person does next about a server in this state; null: nothing. */
export const STATE_ADVICE: Record<ServerState, string | null> = {
  unchecked: 'Check it before its first run: the check shows its host key and tries to sign in.',
  reachable: null,
  host_key_unknown:
    'Compare the host key that it showed with the host’s own, and accept it. Runs stop here until then.',
  host_key_accepted: 'Check it once more: nobody has signed in since the key was accepted.',
  host_key_changed: 'Find out why the host shows another key. Runs stop here until the new one is accepted.',
  login_refused: 'Look at the connection step by step: it shows the line that belongs into authorized_keys there.',
  no_commands: 'Look at the connection step by step: it shows why the login user’s shell runs no command.',
  protected_host: 'It is a machine of a protected environment. Run there, or register another host.',
  unreachable: 'Look at the connection step by step: it shows which part of the way fails.',
};
