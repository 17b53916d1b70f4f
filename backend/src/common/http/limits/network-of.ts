import { isIPv4, isIPv6 } from 'node:net';

/** Number of 16-bit groups of an IPv6 network: /64 is the smallest allocation for a customer, /48 for a site. */
const IPV6_GROUP_COUNTS = { customer: 4, site: 3 };

/**
 * Returns the network of a customer: `192.0.2.7`, `2001:db8:0:7::/64`. IPv4-mapped addresses count as IPv4. Returns
 * text that is not an address unchanged.
 */
export function toNetwork(address: string): string {
  return extractIpv4(address) ?? toIpv6Network(address, IPV6_GROUP_COUNTS.customer) ?? address;
}

/**
 * Returns the network of a site: `192.0.2.0/24`, `2001:db8:0::/48`. Several addresses of one attacker are usually in
 * one site, so changing between them does not help.
 */
export function toSite(address: string): string {
  const ipv4 = extractIpv4(address);
  if (ipv4 !== null) return `${ipv4.split('.').slice(0, 3).join('.')}.0/24`;
  return toIpv6Network(address, IPV6_GROUP_COUNTS.site) ?? address;
}

const toBareAddress = (address: string): string => address.split('%')[0]?.toLowerCase() ?? '';

function extractIpv4(address: string): string | null {
  const bare = toBareAddress(address);
  const ipv4 = bare.startsWith('::ffff:') ? bare.slice('::ffff:'.length) : bare;
  return isIPv4(ipv4) ? ipv4 : null;
}

function toIpv6Network(address: string, size: number): string | null {
  const bare = toBareAddress(address);
  if (!isIPv6(bare)) return null;
  const [head = '', tail] = bare.split('::');
  const before = parseIpv6Groups(head);
  const after = parseIpv6Groups(tail ?? '');
  const zeroGroups = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const all = [...before, ...Array<string>(zeroGroups).fill('0'), ...after];
  return `${all.slice(0, size).join(':')}::/${16 * size}`;
}

/** An IPv4 address at the end fills two groups. */
const parseIpv6Groups = (text: string): string[] =>
  text
    .split(':')
    .filter((group) => group !== '')
    .flatMap((group) => (group.includes('.') ? ['0', '0'] : [group.replace(/^0+(?=.)/, '')]));
