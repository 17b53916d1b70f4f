/**
 * Texts of another machine that may appear in an error message about connecting to it. A member who registers a server
 * chooses where Runward connects. If error messages repeated responses, the member could read services that only
 * Runward's machine can reach. So messages contain only fixed texts, and the name of an SSH server's software.
 */

/** Identification of an SSH server: protocol version and software, without its comment; null = none received. */
export function parseIdentification(greeting: string): string | null {
  const [line, name] = /^(SSH-[0-9]{1,2}\.[0-9]{1,2}-[A-Za-z0-9._+~-]{1,40})(?=[ \r\n])/m.exec(greeting) ?? [];
  return line === undefined ? null : (name ?? null);
}

/** OpenSSH sends this instead of its identification when it has too many half-open logins. */
export const isBusyGreeting = (greeting: string): boolean =>
  /^(Exceeded MaxStartups|Not allowed at this time)/.test(greeting);

export const isOtherProtocolGreeting = (greeting: string): boolean =>
  greeting.trim() !== '' && !/^SSH-/m.test(greeting) && !isBusyGreeting(greeting);

/** Kind of service by the first characters that it sends. Nothing else of its text is used. */
const GREETING_STARTS_BY_SERVICE: Readonly<Record<string, readonly string[]>> = {
  'a web server (HTTP)': ['HTTP/', '<html', '<!DOCTYPE'],
  'a service that speaks TLS': ['\x15\x03', '\x16\x03'],
  'a mail or FTP server': ['220 ', '220-', '+OK', '* OK'],
  'a VNC server': ['RFB '],
  'a Redis server': ['-ERR', '-NOAUTH', '-DENIED'],
};

/** Kind of a service that answers but is not an SSH server; null = unknown. */
export const findServiceKind = (greeting: string): string | null =>
  Object.keys(GREETING_STARTS_BY_SERVICE).find((kind) =>
    GREETING_STARTS_BY_SERVICE[kind]?.some((beginning) => greeting.startsWith(beginning)),
  ) ?? null;

/**
 * Texts for the disconnect reasons by number (RFC 4253, 11.1), because the other side controls the text of the message.
 */
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

/**
 * Beginnings of ssh2 1.17 messages, up to the point where they repeat text of the other side; also Runward's own texts.
 */
const LIBRARY_REASON_PATTERN =
  /^(?:Handshake failed: (?:no matching (?:key exchange algorithm|host key format|[CS]->[CS] (?:cipher|MAC|compression))|KEXINIT not first packet in strict KEX mode|signature verification failed)|Host key does not match negotiated type|Wrong signature type|Malformed (?:signature|packet)|Received (?:malformed|unexpected|extra) (?:KEXINIT|KEX\*_REPLY|KEXDH_GEX_GROUP|host public key|packet)|Received packet|Inbound: Malformed [A-Z_]+ packet|Bad packet length|Invalid MAC|Packet length|Unexpected packet|Keepalive timeout|Connection lost before handshake|No response from server|The public SSH host key is damaged)/;
/** Messages of Node.js: system call and error code. */
const SYSTEM_REASON_PATTERN = /^(?:read|write|connect|shutdown) E[A-Z]+/;

/** Returns why a connection failed, without text that the other side chose; empty = no known reason. */
export function toFailureReason(raw: unknown): string {
  const { code, message } = (raw ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'number') {
    const known = DISCONNECT_REASONS[code];
    return `it ended the connection${known === undefined ? '' : `: ${known}`}`;
  }
  const text = typeof message === 'string' ? message : '';
  return (LIBRARY_REASON_PATTERN.exec(text) ?? SYSTEM_REASON_PATTERN.exec(text))?.[0] ?? '';
}
