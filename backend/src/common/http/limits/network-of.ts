import { isIPv4, isIPv6 } from 'node:net';

/** Groups of 16 bits that make an IPv6 network: a /64 is what one customer gets at the least, a /48 what one site gets. */
const IPV6_GROUPS = { customer: 4, site: 3 };

/**
 * The network of one customer: `192.0.2.7`, `2001:db8:0:7::/64`. An IPv4 address in IPv6 dress counts as IPv4. Text that
 * is no address is its own network.
 */
export function networkOf(address: string): string {
  return ipv4Of(address) ?? ipv6Network(address, IPV6_GROUPS.customer) ?? address;
}

/**
 * The network of one site: `192.0.2.0/24`, `2001:db8:0::/48`. Whoever holds many addresses mostly holds them there, so
 * that changing among them gains nothing.
 */
export function siteOf(address: string): string {
  const ipv4 = ipv4Of(address);
  if (ipv4 !== null) return `${ipv4.split('.').slice(0, 3).join('.')}.0/24`;
  return ipv6Network(address, IPV6_GROUPS.site) ?? address;
}

/** Without the zone, in small letters. */
const bareOf = (address: string): string => address.split('%')[0]?.toLowerCase() ?? '';

function ipv4Of(address: string): string | null {
  const bare = bareOf(address);
  const ipv4 = bare.startsWith('::ffff:') ? bare.slice('::ffff:'.length) : bare;
  return isIPv4(ipv4) ? ipv4 : null;
}

function ipv6Network(address: string, size: number): string | null {
  const bare = bareOf(address);
  if (!isIPv6(bare)) return null;
  const [head = '', tail] = bare.split('::');
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const all = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return `${all.slice(0, size).join(':')}::/${16 * size}`;
}

/** An IPv4 address at the end stands for two groups. */
const groups = (text: string): string[] =>
  text
    .split(':')
    .filter((group) => group !== '')
    .flatMap((group) => (group.includes('.') ? ['0', '0'] : [group.replace(/^0+(?=.)/, '')]));
