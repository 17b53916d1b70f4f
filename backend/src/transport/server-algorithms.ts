/** Algorithms that a server offers (RFC 4253, 7.1), in the server's order. */
export interface ServerProposal {
  keyExchanges: string[];
  hostKeys: string[];
  ciphers: string[];
  macs: string[];
}

/** Registered names (IANA, OpenSSH). Messages repeat no other names of the server, see peer-texts.ts. */
const REGISTERED_NAME_PATTERNS = [
  /^diffie-hellman-group(?:\d{1,2}|-exchange)-sha(?:1|256|512)$/,
  /^(?:curve25519-sha256|curve448-sha512|sntrup761x25519-sha512|mlkem768x25519-sha256)(?:@[a-z.]{1,20})?$/,
  /^ecdh-sha2-nistp(?:256|384|521)$/,
  /^(?:ssh-(?:rsa|dss|ed25519|ed448)|rsa-sha2-(?:256|512)|ecdsa-sha2-nistp(?:256|384|521))(?:-cert-v01@openssh\.com)?$/,
  /^(?:3des-(?:cbc|ctr)|(?:aes(?:128|192|256)|blowfish|cast128|twofish(?:128|256)?)-(?:cbc|ctr)|arcfour(?:128|256)?)$/,
  /^(?:aes(?:128|256)-gcm|chacha20-poly1305)@openssh\.com$/,
  /^(?:hmac-(?:sha1|md5|ripemd160)(?:-96)?|hmac-sha2-(?:256|512)|umac-(?:64|128))(?:-etm)?(?:@openssh\.com)?$/,
];
/** Entries that announce capabilities of the server and are not algorithms. */
const MARKER_NAME_PATTERN = /^(?:ext-info-[cs]|kex-strict-[cs]-v00@openssh\.com)$/;

/** Formats a list of algorithms for a message. Unregistered names are only counted. */
export function formatAlgorithmList(names: readonly string[]): string {
  const offered = names.filter((name) => name !== '' && !MARKER_NAME_PATTERN.test(name));
  const known = offered.filter((name) => REGISTERED_NAME_PATTERNS.some((pattern) => pattern.test(name)));
  const others = offered.length - known.length;
  const unregisteredText = others === 0 ? [] : [`${others} unregistered`];
  return [...known, ...unregisteredText].join(', ') || 'none';
}
