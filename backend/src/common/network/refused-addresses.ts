import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { toCanonicalAddress } from './host-address.js';

/**
 * Networks that can be named. `metadata`: services from which processes of a cloud machine get the machine's
 * credentials.
 */
const NAMED_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  metadata: ['169.254.0.0/16', '168.63.129.16/32', '100.100.100.200/32', 'fd00:ec2::254/128', 'fd20:ce::254/128'],
};

export const DEFAULT_REFUSED_NETWORKS: readonly string[] = ['metadata'];

export const REFUSED_FORMS = `an address, a network such as 10.0.0.0/8, or ${Object.keys(NAMED_NETWORKS).join(', ')} (or none, alone)`;

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;
type IpNetwork = readonly [IpAddress, number];

/** Returns the networks of a list entry; null = invalid. */
export function parseRefusedNetworks(entry: string): IpNetwork[] | null {
  const named = Object.hasOwn(NAMED_NETWORKS, entry) ? NAMED_NETWORKS[entry] : undefined;
  if (named) return named.flatMap((network) => parseRefusedNetworks(network) ?? []);
  const [text = '', length, ...more] = entry.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(text)] ?? 0;
  if (bits === 0 || text.includes('%') || more.length > 0 || !/^\d{1,3}$/.test(length ?? '0')) return null;
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits) return null;
  const canonical = toCanonicalAddress(text);
  // An IPv4-mapped network becomes an IPv4 network, so its prefix is 96 bits shorter.
  const prefixOffset = bits === 128 && isIP(canonical) === 4 ? 96 : 0;
  return prefix < prefixOffset ? null : [[ipaddr.parse(canonical), prefix - prefixOffset]];
}

/** Addresses that this installation never connects to. */
export class RefusedAddresses {
  private readonly networks: readonly IpNetwork[];

  /** @throws TypeError for an entry that {@link parseRefusedNetworks} rejects */
  constructor(entries: readonly string[] = DEFAULT_REFUSED_NETWORKS) {
    this.networks = entries.flatMap((entry) => {
      const networks = parseRefusedNetworks(entry);
      if (!networks) throw new TypeError(`${entry} is not ${REFUSED_FORMS}.`);
      return networks;
    });
  }

  /** Whether connections to this address are refused. Ignores the zone, which only names an interface. */
  includes(address: string): boolean {
    const [bare = ''] = toCanonicalAddress(address).split('%');
    return isIP(bare) !== 0 && listReachableAddresses(ipaddr.parse(bare)).some((each) => this.isInRefusedNetwork(each));
  }

  private isInRefusedNetwork(address: IpAddress): boolean {
    return this.networks.some(
      // `match` throws if the IP versions differ; its type covers only one version.
      ([network, prefix]) => network.kind() === address.kind() && (address as ipaddr.IPv6).match(network, prefix),
    );
  }
}

/** Returns the address, and the IPv4 address in it that a gateway or an old system would reach. */
export function listReachableAddresses(address: IpAddress): IpAddress[] {
  const ipv4Offset = isIpv4Compatible(address) ? 12 : IPV4_OFFSETS[address.range()];
  if (ipv4Offset === undefined) return [address];
  return [address, new ipaddr.IPv4(address.toByteArray().slice(ipv4Offset, ipv4Offset + 4))];
}

/** Offset of the embedded IPv4 address in NAT64 (RFC 6052), SIIT (RFC 6145) and 6to4 addresses. */
const IPV4_OFFSETS: Readonly<Record<string, number>> = { rfc6052: 12, rfc6145: 12, '6to4': 2 };

export const embedsIpv4 = (address: IpAddress): boolean => address.range() in IPV4_OFFSETS;

/** Whether the address has the form `::a.b.c.d`, deprecated by RFC 4291. `::` and `::1` do not count. */
export const isIpv4Compatible = (address: IpAddress): boolean =>
  address.kind() === 'ipv6' &&
  address.range() === 'unicast' &&
  address
    .toByteArray()
    .slice(0, 12)
    .every((byte) => byte === 0);
