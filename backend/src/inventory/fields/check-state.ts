import type { SshConnection } from '../../transport/connection/ssh-connection.js';
import type { SshError } from '../../transport/ssh-errors.js';
import type { Server, ServerCheck } from './server.entity.js';

type StoredCheckState = Pick<Server, 'lastCheck' | 'state' | 'stateSince' | 'checkedAt' | 'latencyMs'>;

export const UNCHECKED_STATE: StoredCheckState = {
  lastCheck: null,
  state: 'unchecked',
  stateSince: null,
  checkedAt: null,
  latencyMs: null,
};

/** Returns the state after an observation. `ServerObservations` implements the same rule in SQL. */
export function getStateAfterCheck(
  before: Pick<StoredCheckState, 'state' | 'stateSince'>,
  check: ServerCheck,
): Omit<StoredCheckState, 'latencyMs'> {
  const at = new Date(check.at);
  const stateSince = before.state === check.state ? before.stateSince : at;
  return { lastCheck: check, state: check.state, stateSince, checkedAt: at };
}

/**
 * Returns the server's state after a failed connection. @param pinned whether the server has pinned keys: only then can
 * they have changed
 */
export function toCheckState({ code }: SshError, pinned: boolean): ServerCheck['state'] {
  if (pinned && (code === 'host_key_changed' || code === 'host_key_type_missing')) return 'host_key_changed';
  if (code === 'second_factor_required') return 'login_refused';
  return code === 'login_refused' || code === 'protected_host' ? code : 'unreachable';
}

type LoginDetails = Pick<SshConnection, 'certificateUnused' | 'legacyAlgorithmsUsed'>;

export const toSignedInMessage = (
  username: string,
  { certificateUnused, legacyAlgorithmsUsed: legacy }: LoginDetails,
): string =>
  [
    `Signed in as ${username}; the host key is the pinned one.`,
    ...(certificateUnused ? [`Runward signed in with the plain key, because ${certificateUnused}.`] : []),
    ...(legacy === null ? [] : [formatLegacyAlgorithms(legacy)]),
  ].join(' ');

const formatLegacyAlgorithms = (used: readonly string[]): string =>
  used.length > 0
    ? `The connection used legacy algorithms: ${used.join(', ')}.`
    : 'The connection used no legacy algorithms. You can turn them off for this server.';

/** @param why reason why the host runs no command */
export const toNoCommandsMessage = (username: string, why: string): string =>
  `Signed in as ${username}, but the host runs no command. ${why}`;
