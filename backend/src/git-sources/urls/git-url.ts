import { isIPv6 } from 'node:net';
import { toCanonicalAddress, findHostAddressFault } from '../../common/network/host-address.js';

export const MAX_URL_LENGTH = 2048;

export interface GitUrl {
  scheme: 'https' | 'ssh';
  /** User of ssh; null for https. */
  user: string | null;
  /** Canonical form; IPv6 without brackets. */
  host: string;
  port: number;
  /** Canonical form of the address, which is stored and passed to git. */
  text: string;
}

const DEFAULT_PORTS = { https: 443, ssh: 22 } as const;
const USER_PATTERN = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;
/** Allows `%` anywhere, because `isValidPathPart` validates percent-encoding. */
const REPOSITORY_PATH_PATTERN = /^[A-Za-z0-9._~/+@%=,-]+$/;
const URL_FORMS_ADVICE =
  'Send an https or ssh address, such as https://git.example.com/team/plans.git or git@git.example.com:team/plans.git.';

/**
 * Parses a repository address: `https://host[:port]/path`, `ssh://[user@]host[:port]/path` or `user@host:path`. Rejects
 * all other forms that git accepts, because their transports run programs or read files of this machine.
 *
 * @returns the address, or a sentence that explains the error
 */
export function parseGitUrl(text: string): GitUrl | string {
  if (text.length > MAX_URL_LENGTH)
    return `The address can have at most ${MAX_URL_LENGTH} characters (got ${text.length}).`;
  const [, scheme, rest = ''] = /^(https|ssh):\/\/(.+)$/.exec(text) ?? [];
  if (scheme === 'https') return parseHttpsUrl(rest);
  if (scheme === 'ssh') return parseSshUrl(rest);
  if (text.includes('://') || text.includes('::')) return URL_FORMS_ADVICE;
  const [, user = '', host = '', path = ''] = /^([^@:/]+)@([^@:/[\]]+):([^:]+)$/.exec(text) ?? [];
  if (user === '') return URL_FORMS_ADVICE;
  const canonical = parseHost(host);
  if (canonical === null) return URL_FORMS_ADVICE;
  const fault = findUserFault(user) ?? findPathFault(path.replace(/^\//, ''));
  if (fault !== null) return fault;
  return { scheme: 'ssh', user, host: canonical, port: DEFAULT_PORTS.ssh, text: `${user}@${canonical}:${path}` };
}

/** Whether two addresses have the same server and user, so that the credential of one may be sent to the other. */
export const isSameServer = (one: GitUrl, other: GitUrl): boolean =>
  one.scheme === other.scheme && one.host === other.host && one.port === other.port && one.user === other.user;

function parseHttpsUrl(rest: string): GitUrl | string {
  const place = parseLocation(rest, 'https');
  if (typeof place === 'string') return place;
  if (rest.slice(0, rest.length - place.path.length).includes('@'))
    return 'Remove user and password from the address, where every member could read them. Send a token as the credential.';
  return { scheme: 'https', user: null, host: place.host, port: place.port, text: `https://${place.text}` };
}

function parseSshUrl(rest: string): GitUrl | string {
  const at = rest.indexOf('@');
  const slashIndex = rest.indexOf('/');
  const named = at >= 0 && (slashIndex < 0 || at < slashIndex);
  const user = named ? rest.slice(0, at) : 'git';
  if (user.includes(':')) return 'Remove the password from the address: ssh uses a key.';
  const place = parseLocation(named ? rest.slice(at + 1) : rest, 'ssh');
  if (typeof place === 'string') return place;
  const fault = findUserFault(user);
  if (fault !== null) return fault;
  return { scheme: 'ssh', user, host: place.host, port: place.port, text: `ssh://${user}@${place.text}` };
}

function parseLocation(
  rest: string,
  scheme: GitUrl['scheme'],
): { host: string; port: number; path: string; text: string } | string {
  const slashIndex = rest.indexOf('/');
  if (slashIndex < 1) return URL_FORMS_ADVICE;
  const path = rest.slice(slashIndex);
  const authority = rest.slice(0, slashIndex);
  const [, bracketed, name = '', digits] =
    /^(?:[^@]*@)?(?:\[([^\]]*)\]|([^:[\]]*))(?::([0-9]*))?$/.exec(authority) ?? [];
  const host = bracketed === undefined ? parseHost(name) : isIPv6(bracketed) ? parseHost(bracketed) : null;
  if (host === null) return URL_FORMS_ADVICE;
  if (digits !== undefined && !/^[1-9][0-9]{0,4}$/.test(digits)) return 'The port must be between 1 and 65535.';
  const port = digits === undefined ? DEFAULT_PORTS[scheme] : Number(digits);
  if (port > 65_535) return 'The port must be between 1 and 65535.';
  const fault = findPathFault(path.slice(1));
  if (fault !== null) return fault;
  const hostText = host.includes(':') ? `[${host}]` : host;
  return { host, port, path, text: `${hostText}${port === DEFAULT_PORTS[scheme] ? '' : `:${port}`}${path}` };
}

/**
 * Returns the canonical host; null: invalid. Rejects zones (`%eth0`), because they name an interface of this machine.
 */
function parseHost(text: string): string | null {
  if (text.includes('%') || findHostAddressFault(text) !== null) return null;
  return toCanonicalAddress(text);
}

const findUserFault = (user: string): string | null =>
  USER_PATTERN.test(user)
    ? null
    : 'The user in the address can contain letters, digits, ".", "_" and "-", and must begin with a letter, digit or "_".';

function findPathFault(path: string): string | null {
  const sound =
    REPOSITORY_PATH_PATTERN.test(path) &&
    !path.startsWith('-') &&
    path.replace(/\/$/, '').split('/').every(isValidPathPart);
  return sound
    ? null
    : 'The path of the address can contain letters, digits and . _ ~ + @ = , - between single slashes, and no "..".';
}

function isValidPathPart(part: string): boolean {
  let plain: string;
  try {
    plain = decodeURIComponent(part);
  } catch {
    return false;
  }
  return plain !== '' && plain !== '.' && plain !== '..' && !/[\p{Cc}\p{Surrogate}/\\%]/u.test(plain);
}
