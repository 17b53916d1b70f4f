/**
 * What of another machine's words may stand in a message about connecting to it. Whoever registers a server chooses
 * whom Runward talks to: a message that repeated what comes back would let a member read what services say that only
 * Runward's machine reaches. So there are words of our own for it, and the name of an SSH server's software.
 */

/** How an SSH server names itself: version of the protocol and software, without its comment; null: it did not. */
export function identificationOf(greeting: string): string | null {
  const [line, name] = /^(SSH-[0-9]{1,2}\.[0-9]{1,2}-[A-Za-z0-9._+~-]{1,40})(?=[ \r\n])/m.exec(greeting) ?? [];
  return line === undefined ? null : (name ?? null);
}

/** What OpenSSH says instead of its identification when it has too many half-open logins. */
export const isBusy = (greeting: string): boolean => /^(Exceeded MaxStartups|Not allowed at this time)/.test(greeting);

/** Whether something was said that no SSH server says at first. */
export const isForeign = (greeting: string): boolean =>
  greeting.trim() !== '' && !/^SSH-/m.test(greeting) && !isBusy(greeting);

/** By how services begin; without what else they say. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  'a web server (HTTP)': ['HTTP/', '<html', '<!DOCTYPE'],
  'a service that speaks TLS': ['\x15\x03', '\x16\x03'],
  'a mail or FTP server': ['220 ', '220-', '+OK', '* OK'],
  'a VNC server': ['RFB '],
  'a Redis server': ['-ERR', '-NOAUTH', '-DENIED'],
};

/** What it seems to be that answers but is no SSH server; null: nobody can tell. */
export const kindOf = (greeting: string): string | null =>
  Object.keys(KINDS).find((kind) => KINDS[kind]?.some((beginning) => greeting.startsWith(beginning))) ?? null;

/** RFC 4253, 11.1: why the other side ended the connection, by its number. The text that comes with it is its own. */
const DISCONNECT_REASONS: Readonly<Record<number, string>> = {
  1: 'host not allowed to connect',
  2: 'protocol error',
  3: 'key exchange failed',
  5: 'wrong checksum',
  6: 'compression error',
  7: 'service not available',
  8: 'protocol version not supported',
  9: 'host key not verifiable',
  10: 'connection lost',
  12: 'too many connections',
  13: 'login cancelled',
  14: 'no more ways to log in',
  15: 'user name not allowed',
};

/** How texts of ssh2 1.17 begin, up to what they repeat of the other side's; and texts of ours. */
const LIBRARY_REASON =
  /^(?:Handshake failed: (?:no matching (?:key exchange algorithm|host key format|[CS]->[CS] (?:cipher|MAC|compression))|KEXINIT not first packet in strict KEX mode|signature verification failed)|Host key does not match negotiated type|Wrong signature type|Malformed (?:signature|packet)|Received (?:malformed|unexpected|extra) (?:KEXINIT|KEX\*_REPLY|KEXDH_GEX_GROUP|host public key|packet)|Received packet|Inbound: Malformed [A-Z_]+ packet|Bad packet length|Invalid MAC|Packet length|Unexpected packet|Keepalive timeout|Connection lost before handshake|No response from server|The public SSH host key is damaged)/;
/** Node's own: the call and the code. */
const SYSTEM_REASON = /^(?:read|write|connect|shutdown) E[A-Z]+/;

/** Why a connection failed, in words that the other side did not choose; empty: none of them fits. */
export function reasonOf(raw: unknown): string {
  const { code, message } = (raw ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'number') {
    const known = DISCONNECT_REASONS[code];
    return `it ended the connection${known === undefined ? '' : `: ${known}`}`;
  }
  const text = typeof message === 'string' ? message : '';
  return (LIBRARY_REASON.exec(text) ?? SYSTEM_REASON.exec(text))?.[0] ?? '';
}
