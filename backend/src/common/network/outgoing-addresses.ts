import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { canonicalAddress } from './host-address.js';
import { holdsIpv4, isIpv4Compatible, reachedBy, RefusedAddresses, USUALLY_REFUSED } from './refused-addresses.js';

/** How long looking up a name may take, in ms. */
const LOOKUP_MS = 5_000;
/** Addresses of one name that are looked at; one with more is refused. */
const MOST_ADDRESSES = 32;
/** What an installation may open for calls that tenants name the target of, and what nothing opens. */
const PRIVATE = ['private', 'loopback', 'uniqueLocal', 'carrierGradeNat'];

/** All addresses of a name, as `dns.lookup` tells them. */
export type Lookup = (host: string) => Promise<readonly { address: string }[]>;

/** Why nothing is connected to. `code` tells programs, the message people. */
export class OutgoingAddressError extends Error {
  override readonly name = 'OutgoingAddressError';

  constructor(
    readonly code: 'not_resolved' | 'address_refused',
    message: string,
  ) {
    super(message);
  }
}

/**
 * Which addresses the service may call because a tenant named them, as opposed to hosts that are registered: those of
 * the public internet, and private ones as far as the installation opened them. What clouds tell their machines'
 * credentials at is never called.
 */
export class OutgoingAddresses {
  private readonly refused: readonly RefusedAddresses[];
  private readonly opened: RefusedAddresses;

  /**
   * @param refused as `RUNWARD_REFUSED_ADDRESSES`
   * @param opened private networks that may be called
   */
  constructor(
    refused: readonly string[],
    opened: readonly string[],
    private readonly lookup: Lookup = (host) => systemLookup(host, { all: true, verbatim: true }),
  ) {
    this.refused = [new RefusedAddresses(), new RefusedAddresses(refused.length > 0 ? refused : USUALLY_REFUSED)];
    this.opened = new RefusedAddresses(opened);
  }

  /**
   * The addresses to connect to, looked up once: whoever connects uses these and asks no more.
   * @param host a name or address without brackets, as `canonicalAddress` gives it
   * @throws OutgoingAddressError when there is none, or any of them is not allowed
   */
  async of(host: string): Promise<string[]> {
    const found = isIP(host) === 0 ? await this.find(host) : [host];
    for (const address of found) {
      if (this.allows(address)) continue;
      const at = address === host ? host : `${host} is at ${address}, which`;
      throw new OutgoingAddressError(
        'address_refused',
        `${at} may not be called: this installation calls public addresses only, and the private ones that RUNWARD_OUTGOING_PRIVATE names.`,
      );
    }
    return found;
  }

  /** Whether this address may be called. */
  allows(address: string): boolean {
    const canonical = canonicalAddress(address);
    if (isIP(canonical) === 0 || this.refused.some((each) => each.includes(canonical))) return false;
    return reachedBy(ipaddr.parse(canonical)).every((each) => this.isOpen(each));
  }

  private isOpen(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    const range = address.range();
    if (isIpv4Compatible(address)) return false;
    if (range === 'unicast' || holdsIpv4(address)) return true;
    return PRIVATE.includes(range) && this.opened.includes(address.toString());
  }

  private async find(host: string): Promise<string[]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('It took too long.')), LOOKUP_MS);
    });
    try {
      const found = await Promise.race([this.lookup(host), late]);
      const addresses = [...new Set(found.map(({ address }) => canonicalAddress(address)))];
      if (addresses.length > 0 && addresses.length <= MOST_ADDRESSES) return addresses;
      throw new Error('It has no address, or too many.');
    } catch {
      throw new OutgoingAddressError('not_resolved', `The name ${host} was not found. Is it spelled right?`);
    } finally {
      clearTimeout(timer);
    }
  }
}
