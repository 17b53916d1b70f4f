import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Some resolvers take these for IPv4 addresses (`127.1`, `0x7f.1`, `010.0.0.1`), and not all for the same ones. */
const LIKE_IPV4 = /^(?:(?:0x[0-9a-f]*|[0-9]+)(?:\.|$))+\.*$/i;
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*\.?$/;
/** An interface by its name. Its number may be another one after the next start, and on another worker. */
const ZONE = /^[A-Za-z](?:[A-Za-z0-9_.-]{0,13}[A-Za-z0-9_-])?$/;
const EXAMPLES = 'such as web-1.example.com, 10.0.0.5 or 2001:db8::5';

/** What no single host is reached by, in words. An unspecified address reaches the machine that connects. */
const NO_HOST: Readonly<Record<string, string>> = {
  unspecified: 'the unspecified address',
  broadcast: 'the broadcast address',
  multicast: 'a multicast address',
};

/**
 * One text for all spellings of a host's address: a name in lower case and without the dot at its end, an IPv6 address
 * as short as it can be (RFC 5952), without brackets. An IPv4 address within IPv6 (`::ffff:10.0.0.1`) is the IPv4 address
 * that is reached by it; those of NAT64 and 6to4 are reached through a gateway and stay what they are. A zone belongs to
 * a link-local address only. Two names of one address stay two texts. `canonical_address` in the database is the same.
 */
export function canonicalAddress(hostname: string): string {
  const bare = hostname.replace(/\.+$/, '');
  const address = parseIpv6(withoutBrackets(bare));
  if (!address) return lowerCase(bare);
  const { zone, parts } = address;
  if (parts.isIPv4MappedAddress()) return parts.toIPv4Address().toString();
  return `${parts.toString()}${parts.range() === 'linkLocal' && zone ? `%${zone}` : ''}`;
}

/**
 * Why nothing may be registered under this host name or address; null: it may. Each address that is allowed can be
 * written in a few ways, but all of them reach the same host and have one canonical text.
 */
export function hostAddressFault(hostname: string): string | null {
  if (/[[\]]/.test(hostname)) return 'hostname must be an IPv6 address without brackets, such as 2001:db8::5';
  if (/[:%]/.test(hostname)) return ipv6Fault(hostname);
  if (isIPv4(hostname)) return rangeFault(ipaddr.IPv4.parse(hostname));
  if (LIKE_IPV4.test(hostname))
    return 'hostname must be written as four numbers without leading zeros if it is an IPv4 address: 10.0.0.5';
  return NAME.test(hostname) ? null : `hostname must be a host name or address, ${EXAMPLES}`;
}

function ipv6Fault(hostname: string): string | null {
  const address = parseIpv6(hostname);
  if (!address) return `hostname must be a host name or address without a port, ${EXAMPLES}`;
  const { zone, parts } = address;
  const fault = rangeFault(parts.isIPv4MappedAddress() ? parts.toIPv4Address() : parts);
  if (fault) return fault;
  if (parts.range() !== 'linkLocal')
    return zone === null
      ? null
      : 'hostname may hold a zone (%) only in a link-local address, such as fe80::1%eth0: leave it out';
  return zone !== null && ZONE.test(zone)
    ? null
    : 'hostname must hold the name of an interface as the zone of a link-local address, such as fe80::1%eth0';
}

function rangeFault(address: ipaddr.IPv4 | ipaddr.IPv6): string | null {
  const what = NO_HOST[address.range()];
  return what === undefined ? null : `hostname must be the address of one host, ${EXAMPLES}: this is ${what}`;
}

/** Null: it is none. */
function parseIpv6(text: string): { parts: ipaddr.IPv6; zone: string | null } | null {
  const [address = '', ...rest] = text.split('%');
  // The parser takes more than the operating system does, and `::1.2.3.4` for `::ffff:1.2.3.4`.
  if (!isIPv6(address)) return null;
  const hex = address.replace(/\d+\.\d+\.\d+\.\d+$/, (ipv4) => {
    const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  return { parts: ipaddr.IPv6.parse(hex), zone: text.includes('%') ? rest.join('%') : null };
}

const withoutBrackets = (text: string) => (/^\[.*\]$/.test(text) ? text.slice(1, -1) : text);
const lowerCase = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The interface that an address is reached through; null: the system chooses. */
export const zoneOf = (hostname: string): string | null => parseIpv6(hostname)?.zone ?? null;
