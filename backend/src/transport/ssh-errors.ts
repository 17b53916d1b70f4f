import type { HostKey } from './keys/host-key.js';
import { type AlgorithmLists, describeNoCommonAlgorithm, signsOnlyWithSha1 } from './no-common-algorithm.js';
import {
  parseIdentification,
  isBusyGreeting,
  isOtherProtocolGreeting,
  findServiceKind,
  toFailureReason,
} from './peer-texts.js';

/** Reasons for which Runward refuses a host: before it connects, or right after the TCP connection. */
export type ConnectionRefusalCode = 'address_not_allowed' | 'address_refused' | 'protected_host' | 'duplicate_address';

type ConnectionFailureCode =
  | 'host_not_found'
  | 'connection_refused'
  | 'connect_timeout'
  | 'network_unreachable'
  | 'handshake_timeout'
  | 'not_ssh'
  | 'host_key_changed'
  | 'host_key_type_missing'
  | 'login_refused'
  | 'second_factor_required'
  | 'no_common_algorithm'
  | 'protocol_error'
  | 'hostile_peer'
  | 'connection_lost'
  | 'exec_refused'
  | 'aborted';

export type SshErrorCode = ConnectionFailureCode | ConnectionRefusalCode | 'jump_failed';

/** Reason why a host cannot be reached or used. The message is one or two sentences for the user: cause and advice. */
export class SshError extends Error {
  override readonly name = 'SshError';

  constructor(
    readonly code: SshErrorCode,
    message: string,
    options: { cause?: unknown; seen?: HostKey } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.seen = options.seen;
  }

  /** Host key that the host presented; only with `host_key_changed`. */
  readonly seen?: HostKey;
}

export interface SshAttempt extends AlgorithmLists {
  host: string;
  port: number;
  username?: string;
  /** `connect` until the TCP connection exists, then `handshake` until the host accepts the login. */
  phase: 'connect' | 'handshake';
  timeoutMs: number;
  pinned?: readonly HostKey[];
  rejected?: HostKey;
  /** First bytes from the host, which identify a service that is not an SSH server. */
  greeting?: string;
  timedOut?: boolean;
  aborted?: boolean;
  /** Authentication methods that the host accepts besides those already tried; absent = not reported. */
  methodsLeft?: readonly string[];
  /** The host accepted the key and requires another method as well. */
  keyAccepted?: boolean;
  /** Why the key was tried without its certificate; null = the key has no certificate. */
  certificate?: string | null;
}

/** Returns `host:port`, with brackets around an IPv6 address. */
export function formatEndpoint({ host, port }: { host: string; port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Makes text from another machine safe for a message: one printable, short line. */
export function quoteForeignText(text: string, limit = 120): string {
  const line = text.replace(/[^\x20-\x7e\u00a0-\u{10ffff}]+|\p{Surrogate}+/gu, ' ').trim();
  if (line.length <= limit) return line;
  // PostgreSQL cannot store a lone surrogate.
  return `${line.slice(0, limit).replace(/\p{Surrogate}$/u, '')}…`;
}

export function toSshError(raw: unknown, attempt: SshAttempt): SshError {
  if (raw instanceof SshError) return raw;
  const code = toFailureCode(raw, attempt);
  return new SshError(code, toFailureMessage(code, raw, attempt), { cause: raw, seen: attempt.rejected });
}

const FAILURE_CODE_BY_NETWORK_CODE: Record<string, ConnectionFailureCode> = {
  ENOTFOUND: 'host_not_found',
  EAI_AGAIN: 'host_not_found',
  EAI_FAIL: 'host_not_found',
  EAI_NODATA: 'host_not_found',
  EAI_NONAME: 'host_not_found',
  ECONNREFUSED: 'connection_refused',
  ETIMEDOUT: 'connect_timeout',
  ENETUNREACH: 'network_unreachable',
  EHOSTUNREACH: 'network_unreachable',
  ENETDOWN: 'network_unreachable',
  EHOSTDOWN: 'network_unreachable',
  EADDRNOTAVAIL: 'network_unreachable',
  EACCES: 'network_unreachable',
  EPERM: 'network_unreachable',
};

/** Messages of ssh2 1.17, which has no codes for most errors. */
const FAILURE_CODE_BY_LIBRARY_MESSAGE: [RegExp, ConnectionFailureCode][] = [
  [/no matching host key format/, 'host_key_type_missing'],
  [/^Invalid identification string|^Invalid header|^Header line too long|^Max greeting lines/, 'not_ssh'],
  [/^All configured authentication methods failed$|^Cannot parse privateKey/, 'login_refused'],
  [/^Connection lost before handshake$|^No response from server$/, 'connection_lost'],
];

function toFailureCode(raw: unknown, attempt: SshAttempt): ConnectionFailureCode {
  if (attempt.aborted) return 'aborted';
  if (attempt.rejected) return 'host_key_changed';
  if (raw instanceof HostilePeerError)
    return findServiceKind(attempt.greeting ?? '') === null ? 'hostile_peer' : 'not_ssh';
  if (attempt.timedOut) return 'handshake_timeout';
  const { code, message, level, endedByPeer } = readErrorFields(raw);
  if (attempt.phase === 'connect') return FAILURE_CODE_BY_NETWORK_CODE[code] ?? 'connection_lost';
  if (endedByPeer) {
    const refused = attempt.username !== undefined && /[Aa]uthentication failures/.test(message);
    return refused ? 'login_refused' : 'protocol_error';
  }
  if (/no matching (?:key exchange|[CS]->[CS] )/.test(message)) return 'no_common_algorithm';
  if (/no matching host key format/.test(message) && signsOnlyWithSha1(attempt)) return 'no_common_algorithm';
  const codeByText = FAILURE_CODE_BY_LIBRARY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1];
  if (codeByText === 'connection_lost' && isOtherProtocolGreeting(attempt.greeting ?? '')) return 'not_ssh';
  if (codeByText === 'login_refused' && attempt.keyAccepted) return 'second_factor_required';
  if (codeByText !== undefined) return codeByText;
  if (level === 'client-authentication') return 'login_refused';
  if (level === 'client-socket' || code in FAILURE_CODE_BY_NETWORK_CODE || code === 'ECONNRESET' || code === 'EPIPE') {
    return 'connection_lost';
  }
  return 'protocol_error';
}

function readErrorFields(raw: unknown): { code: string; message: string; level: string; endedByPeer: boolean } {
  const { code, message, level } = (raw ?? {}) as { code?: unknown; message?: unknown; level?: unknown };
  return {
    code: typeof code === 'string' ? code : '',
    message: typeof message === 'string' ? message : '',
    level: typeof level === 'string' ? level : '',
    // When the host ended the connection, the code is a number and the message comes from the host.
    endedByPeer: typeof code === 'number',
  };
}

function toFailureMessage(code: ConnectionFailureCode, raw: unknown, attempt: SshAttempt): string {
  const where = formatEndpoint(attempt);
  const reason = toFailureReason(raw);
  const greeting = attempt.greeting ?? '';
  switch (code) {
    case 'host_not_found':
      return `The name ${attempt.host} was not found. Check the host name, and the DNS of the machine Runward runs on.`;
    case 'connection_refused':
      return `${where} refused the connection. Check that an SSH server listens on this port and that no firewall rejects it.`;
    case 'connect_timeout':
      return `${where} did not answer within ${formatSeconds(attempt.timeoutMs)}. Check that the host is up and that no firewall drops the connection.`;
    case 'network_unreachable':
      return `There is no network route to ${where}. Check the address, the network and the firewall of the machine Runward runs on.`;
    case 'handshake_timeout':
      return `${where} accepted the connection but did not finish the SSH handshake within ${formatSeconds(attempt.timeoutMs)}. Check that an SSH server listens there and that the host is not overloaded.${attempt.legacyAlgorithms === undefined ? '' : ' If its logins take that long, raise its login timeout (server setting loginTimeoutSeconds).'}`;
    case 'not_ssh':
      return toNotSshMessage(where, greeting);
    case 'host_key_changed':
      return `${where} showed another host key than the pinned one: pinned ${formatKeyNames(attempt.pinned)}, seen ${formatKeyNames(attempt.rejected && [attempt.rejected])}. Compare with the key on the host itself, and accept the new one only if the host was reinstalled or its key replaced on purpose.`;
    case 'host_key_type_missing':
      return attempt.pinned?.length
        ? `${where} no longer offers a host key of the pinned type ${attempt.pinned.map(({ type }) => type).join(', ')}. If the host was reinstalled or its keys replaced on purpose, read its host key again and accept it.`
        : `${where} offers no host key of a type that Runward accepts. Give the host an Ed25519, ECDSA or RSA host key.`;
    case 'second_factor_required':
      return `${where} accepted the key of ${attempt.username ?? 'the user'} and demands ${formatLoginMethods(attempt)} as well, which Runward does not answer. Exempt this login in its sshd_config: Match User ${attempt.username ?? 'the user'}, AuthenticationMethods publickey.`;
    case 'no_common_algorithm':
      return describeNoCommonAlgorithm(where, reason, attempt);
    case 'login_refused':
      if (attempt.methodsLeft && attempt.methodsLeft.length > 0 && !attempt.methodsLeft.includes('publickey'))
        return `${where} accepts no key for the login of ${attempt.username ?? 'the user'}: it demands ${formatLoginMethods(attempt)}. Allow it in its sshd_config (PubkeyAuthentication yes, AuthenticationMethods publickey).`;
      return /^Cannot parse privateKey/.test(readErrorFields(raw).message)
        ? `The private key for ${attempt.username ?? 'the user'} on ${where} cannot be read. Import the key again.`
        : `${where} refused the login of ${attempt.username ?? 'the user'} with this key. Check the user name, and that the public key is in that user's authorized_keys on the host.${attempt.certificate ? ` The key was tried alone, because ${attempt.certificate}.` : ''}`;
    case 'protocol_error':
      return `${where} and Runward could not agree on an SSH connection (${reason || 'no reason given'}). Check the version and the settings of the SSH server.`;
    case 'hostile_peer':
      return toHostilePeerMessage(attempt, raw instanceof HostilePeerError ? raw.what : '');
    case 'connection_lost':
      return isBusyGreeting(greeting)
        ? `${where} has too many logins in progress. Raise MaxStartups in its sshd_config, or run on fewer hosts at a time.`
        : `${where} closed the connection during the ${attempt.phase === 'connect' ? 'connect' : 'SSH handshake'}${reason ? ` (${reason})` : ''}. Check the log of its SSH server.`;
    case 'aborted':
      return `Connecting to ${where} was cancelled on request.`;
    case 'exec_refused':
      return toExecRefusedMessage(attempt, reason);
  }
}

const LOGIN_METHODS = ['publickey', 'password', 'keyboard-interactive', 'hostbased', 'gssapi-with-mic'];

/** Repeats only method names of RFC 4252 and 4256, because the list comes from the host. */
const formatLoginMethods = ({ methodsLeft = [] }: SshAttempt): string =>
  methodsLeft.filter((name) => LOGIN_METHODS.includes(name)).join(' or ') || 'another method';

/** Error for a connection that Runward ended because of data from the host. */
export const toHostilePeerError = (target: { host: string; port: number }, cause: HostilePeerError): SshError =>
  new SshError('hostile_peer', toHostilePeerMessage(target, cause.what), { cause });

const toHostilePeerMessage = (target: { host: string; port: number }, what: string): string =>
  `Runward ended the connection to ${formatEndpoint(target)}: ${what}. Check whether the host is compromised, and which SSH server it runs.`;

function toNotSshMessage(where: string, greeting: string): string {
  const identification = parseIdentification(greeting);
  if (identification !== null)
    return `${where} supports no SSH version that Runward supports: it answered as ${identification}. Check the port and the SSH server.`;
  const kind = findServiceKind(greeting);
  return `${where} is not an SSH server${kind ? `: it answers like ${kind}` : ''}. Check the port.`;
}

/** Returns the message for a host that accepts the login but opens no session for a command. */
export function toExecRefusedMessage(target: { host: string; port: number }, reason: string): string {
  return `${formatEndpoint(target)} did not open a session for the command${reason ? ` (${reason})` : ''}. Check MaxSessions in its sshd_config and the limits of the login user.`;
}

const formatSeconds = (milliseconds: number) => `${Number((milliseconds / 1000).toFixed(1))} s`;
const formatKeyNames = (keys: readonly HostKey[] = []) =>
  keys.map(({ type, fingerprint }) => `${type} ${fingerprint}`).join(', ') || 'none';

/** Beyond its connection's budget, the host sent data that an SSH server has no reason to send. */
export class HostilePeerError extends Error {
  override readonly name = 'HostilePeerError';

  /** @param what subject and verb of the message; must not contain text from the host */
  constructor(readonly what: string) {
    super(what);
  }
}
