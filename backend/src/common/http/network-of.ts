import { isIPv4, isIPv6 } from 'node:net';

/** Groups of 16 bits that make the network of an IPv6 address: a /64 is what one customer gets at the least. */
const IPV6_GROUPS = 4;

/**
 * The network that an address belongs to, as people behind one router share it: `192.0.2.0/24`, `2001:db8:0:7::/64`.
 * An IPv4 address in IPv6 dress counts as IPv4. Text that is no address is its own network.
 */
export function networkOf(address: string): string {
  const bare = address.split('%')[0]?.toLowerCase() ?? '';
  const v4 = bare.startsWith('::ffff:') ? bare.slice('::ffff:'.length) : bare;
  if (isIPv4(v4)) return `${v4.split('.').slice(0, 3).join('.')}.0/24`;
  if (!isIPv6(bare)) return address;
  const [head = '', tail] = bare.split('::');
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const all = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return `${all.slice(0, IPV6_GROUPS).join(':')}::/64`;
}

/** An IPv4 address at the end stands for two groups. */
const groups = (text: string): string[] =>
  text
    .split(':')
    .filter((group) => group !== '')
    .flatMap((group) => (group.includes('.') ? ['0', '0'] : [group.replace(/^0+(?=.)/, '')]));
