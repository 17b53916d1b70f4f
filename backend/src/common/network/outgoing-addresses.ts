import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { toCanonicalAddress } from './host-address.js';
import {
  embedsIpv4,
  isIpv4Compatible,
  listReachableAddresses,
  RefusedAddresses,
  DEFAULT_REFUSED_NETWORKS,
} from './refused-addresses.js';

const LOOKUP_TIMEOUT_MS = 5_000;
const MAX_ADDRESSES = 32;
/** Address ranges that an installation can open for tenants' calls. Other special ranges cannot be opened. */
const PRIVATE_RANGES = ['private', 'loopback', 'uniqueLocal', 'carrierGradeNat'];

export type LookupAddresses = (host: string) => Promise<readonly { address: string }[]>;

export class OutgoingAddressError extends Error {
  override readonly name = 'OutgoingAddressError';

  constructor(
    readonly code: 'host_not_found' | 'address_refused',
    message: string,
  ) {
    super(message);
  }
}

/**
 * Addresses that the service may call for a tenant (not registered hosts): public addresses, and private networks that
 * the installation opened. Cloud metadata services are never allowed.
 */
export class OutgoingAddresses {
  private readonly refused: readonly RefusedAddresses[];
  private readonly opened: RefusedAddresses;

  /**
   * @param refused entries of `RUNWARD_REFUSED_ADDRESSES`
   * @param opened private networks that the service may call
   */
  constructor(
    refused: readonly string[],
    opened: readonly string[],
    private readonly lookup: LookupAddresses = (host) => systemLookup(host, { all: true, verbatim: true }),
  ) {
    this.refused = [
      new RefusedAddresses(),
      new RefusedAddresses(refused.length > 0 ? refused : DEFAULT_REFUSED_NETWORKS),
    ];
    this.opened = new RefusedAddresses(opened);
  }

  /**
   * Resolves the name once. Connect only to the returned addresses, without another lookup.
   * @param host canonical name or address without brackets, see `toCanonicalAddress`
   * @param byProxy true = a proxy connects. It may resolve names that this machine cannot resolve; then there are no
   *   addresses
   * @throws OutgoingAddressError when there is no address, or one of them is not allowed
   */
  async resolveAllowed(host: string, byProxy = false): Promise<string[]> {
    const found = isIP(host) === 0 ? await this.lookUpHost(host, byProxy) : [host];
    for (const address of found) {
      if (this.allowsAddress(address)) continue;
      const at = address === host ? host : `${host} is at ${address}, which`;
      throw new OutgoingAddressError(
        'address_refused',
        `${at} is not allowed. This installation only calls public addresses, and private ones that RUNWARD_OUTGOING_PRIVATE lists.`,
      );
    }
    return found;
  }

  allowsAddress(address: string): boolean {
    const canonical = toCanonicalAddress(address);
    if (isIP(canonical) === 0 || this.refused.some((each) => each.includes(canonical))) return false;
    return listReachableAddresses(ipaddr.parse(canonical)).every((each) => this.isAllowedAddress(each));
  }

  private isAllowedAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    const range = address.range();
    if (isIpv4Compatible(address)) return false;
    if (range === 'unicast' || embedsIpv4(address)) return true;
    return PRIVATE_RANGES.includes(range) && this.opened.includes(address.toString());
  }

  private async lookUpHost(host: string, byProxy: boolean): Promise<string[]> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('It took too long.')), LOOKUP_TIMEOUT_MS);
    });
    try {
      const found = await Promise.race([this.lookup(host), timeout]);
      const addresses = [...new Set(found.map(({ address }) => toCanonicalAddress(address)))];
      if (addresses.length > 0 && addresses.length <= MAX_ADDRESSES) return addresses;
      throw new Error('It has no IP address, or too many.');
    } catch {
      if (byProxy) return [];
      throw new OutgoingAddressError('host_not_found', `The name ${host} was not found. Check its spelling.`);
    } finally {
      clearTimeout(timer);
    }
  }
}
