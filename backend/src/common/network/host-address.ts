import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Texts that some resolvers interpret as IPv4 addresses, with different results: `127.1`, `0x7f.1`, `010.0.0.1`. */
const IPV4_LIKE_PATTERN = /^(?:(?:0x[0-9a-f]*|[0-9]+)(?:\.|$))+\.*$/i;
const HOST_NAME_PATTERN = /^[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*\.?$/;
/** Interface name. Interface numbers are refused: they may change at the next start, or differ on another worker. */
const IPV6_ZONE_PATTERN = /^[A-Za-z](?:[A-Za-z0-9_.-]{0,13}[A-Za-z0-9_-])?$/;
const ADDRESS_EXAMPLES = 'such as web-1.example.com, 10.0.0.5 or 2001:db8::5';

/**
 * Descriptions of addresses that do not identify a single host. The unspecified address reaches the connecting machine
 * itself.
 */
const RESERVED_NAME_REASONS: Readonly<Record<string, string>> = {
  unspecified: 'the unspecified address',
  broadcast: 'the broadcast address',
  multicast: 'a multicast address',
};

/**
 * Returns one text for all spellings of an address: a name in lower case without trailing dot; an IPv6 address in its
 * shortest form (RFC 5952) without brackets. IPv4-mapped addresses (`::ffff:10.0.0.1`) become IPv4 addresses. NAT64 and
 * 6to4 addresses stay unchanged, because a gateway leads to them. Only link-local addresses keep their zone. Two names
 * of one address remain different. Must return the same as `canonical_address` in the database.
 */
export function toCanonicalAddress(hostname: string): string {
  const bare = hostname.replace(/\.+$/, '');
  const address = parseIpv6(removeBrackets(bare));
  if (!address) return toAsciiLowerCase(bare);
  const { zone, parts } = address;
  if (parts.isIPv4MappedAddress()) return parts.toIPv4Address().toString();
  return `${parts.toString()}${parts.range() === 'linkLocal' && zone ? `%${zone}` : ''}`;
}

/**
 * Returns why a host name or address must not be registered; null = allowed. All spellings of an allowed address reach
 * the same host and have one canonical text.
 */
export function findHostAddressFault(hostname: string): string | null {
  if (/[[\]]/.test(hostname)) return 'hostname must be an IPv6 address without brackets, such as 2001:db8::5';
  if (/[:%]/.test(hostname)) return findIpv6Fault(hostname);
  if (isIPv4(hostname)) return findRangeFault(ipaddr.IPv4.parse(hostname));
  if (IPV4_LIKE_PATTERN.test(hostname))
    return 'hostname must be written as four numbers without leading zeros if it is an IPv4 address: 10.0.0.5';
  return HOST_NAME_PATTERN.test(hostname) ? null : `hostname must be a host name or address, ${ADDRESS_EXAMPLES}`;
}

function findIpv6Fault(hostname: string): string | null {
  const address = parseIpv6(hostname);
  if (!address) return `hostname must be a host name or address without a port, ${ADDRESS_EXAMPLES}`;
  const { zone, parts } = address;
  const fault = findRangeFault(parts.isIPv4MappedAddress() ? parts.toIPv4Address() : parts);
  if (fault) return fault;
  if (parts.range() !== 'linkLocal')
    return zone === null
      ? null
      : 'hostname can have a zone (%) only in a link-local address, such as fe80::1%eth0. Remove the zone';
  return zone !== null && IPV6_ZONE_PATTERN.test(zone)
    ? null
    : 'hostname must have the name of an interface as the zone of a link-local address, such as fe80::1%eth0';
}

function findRangeFault(address: ipaddr.IPv4 | ipaddr.IPv6): string | null {
  const what = RESERVED_NAME_REASONS[address.range()];
  return what === undefined ? null : `hostname must be the address of one host, ${ADDRESS_EXAMPLES}; this is ${what}`;
}

/** Returns null if the text is not an IPv6 address. */
function parseIpv6(text: string): { parts: ipaddr.IPv6; zone: string | null } | null {
  const [address = '', ...rest] = text.split('%');
  // `ipaddr` accepts more than the operating system does, and confuses `::1.2.3.4` with `::ffff:1.2.3.4`.
  if (!isIPv6(address)) return null;
  const hex = address.replace(/\d+\.\d+\.\d+\.\d+$/, (ipv4) => {
    const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  return { parts: ipaddr.IPv6.parse(hex), zone: text.includes('%') ? rest.join('%') : null };
}

const removeBrackets = (text: string) => (/^\[.*\]$/.test(text) ? text.slice(1, -1) : text);
const toAsciiLowerCase = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Returns the zone (interface) of an address; null = none. */
export const readIpv6Zone = (hostname: string): string | null => parseIpv6(hostname)?.zone ?? null;
