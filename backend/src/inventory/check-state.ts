import type { SshError } from '../transport/ssh-errors.js';
import type { ServerCheck } from './server.entity.js';

/** What a connection that failed tells of the server. */
export function checkStateOf({ code }: SshError): ServerCheck['state'] {
  if (code === 'host_key_changed' || code === 'host_key_type_missing') return 'host_key_changed';
  return code === 'login_refused' || code === 'protected_host' ? code : 'unreachable';
}

export const signedIn = (username: string): string => `Signed in as ${username}; the host key is the pinned one.`;
