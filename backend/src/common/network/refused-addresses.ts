import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { canonicalAddress } from './host-address.js';

/** Networks that have a name. `metadata`: where clouds give credentials of the machine to whoever asks from it. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  metadata: ['169.254.0.0/16', '168.63.129.16/32', '100.100.100.200/32', 'fd00:ec2::254/128', 'fd20:ce::254/128'],
};

/** What is refused unless the installation says otherwise. */
export const USUALLY_REFUSED: readonly string[] = ['metadata'];

/** How one entry of the list may look, for messages. */
export const REFUSED_FORMS = `an address, a network such as 10.0.0.0/8, or ${Object.keys(NAMED).join(', ')} (or none, alone)`;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

/** The networks that an entry names; null: it names none. */
export function refusedNetworks(entry: string): Network[] | null {
  const named = Object.hasOwn(NAMED, entry) ? NAMED[entry] : undefined;
  if (named) return named.flatMap((network) => refusedNetworks(network) ?? []);
  const [text = '', length, ...more] = entry.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(text)] ?? 0;
  if (bits === 0 || text.includes('%') || more.length > 0 || !/^\d{1,3}$/.test(length ?? '0')) return null;
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits) return null;
  const canonical = canonicalAddress(text);
  // An IPv4 address within IPv6 is reached as the former, and only as that it is asked for.
  const less = bits === 128 && isIP(canonical) === 4 ? 96 : 0;
  return prefix < less ? null : [[ipaddr.parse(canonical), prefix - less]];
}

/** The addresses that this installation makes no connection to, whoever asks for it. */
export class RefusedAddresses {
  private readonly networks: readonly Network[];

  /** @throws TypeError for an entry that {@link refusedNetworks} doesn't know */
  constructor(entries: readonly string[] = USUALLY_REFUSED) {
    this.networks = entries.flatMap((entry) => {
      const networks = refusedNetworks(entry);
      if (!networks) throw new TypeError(`${entry} is not ${REFUSED_FORMS}.`);
      return networks;
    });
  }

  /** Whether nothing may be connected to at this address. A zone says by which interface it is reached, not what it is. */
  includes(address: string): boolean {
    const [bare = ''] = canonicalAddress(address).split('%');
    return isIP(bare) !== 0 && reachedBy(ipaddr.parse(bare)).some((each) => this.holds(each));
  }

  private holds(address: Address): boolean {
    return this.networks.some(
      // match() throws for two of a different kind, and is typed for one of them only.
      ([network, prefix]) => network.kind() === address.kind() && (address as ipaddr.IPv6).match(network, prefix),
    );
  }
}

/** The address, and the IPv4 address within it that a gateway or an old system reaches instead. */
export function reachedBy(address: Address): Address[] {
  const held = isIpv4Compatible(address) ? 12 : HOLDING_IPV4[address.range()];
  if (held === undefined) return [address];
  return [address, new ipaddr.IPv4(address.toByteArray().slice(held, held + 4))];
}

/** Where addresses of these networks hold an IPv4 address: NAT64 (RFC 6052), SIIT (RFC 6145) and 6to4. */
const HOLDING_IPV4: Readonly<Record<string, number>> = { rfc6052: 12, rfc6145: 12, '6to4': 2 };

/** Whether an address within these networks stands for the IPv4 address that it holds. */
export const holdsIpv4 = (address: Address): boolean => address.range() in HOLDING_IPV4;

/** `::a.b.c.d`, which RFC 4291 deprecates. `::` and `::1` are addresses of their own. */
export const isIpv4Compatible = (address: Address): boolean =>
  address.kind() === 'ipv6' &&
  address.range() === 'unicast' &&
  address
    .toByteArray()
    .slice(0, 12)
    .every((byte) => byte === 0);
