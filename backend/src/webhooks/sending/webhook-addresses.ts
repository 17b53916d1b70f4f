import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { toCanonicalAddress } from '../../common/network/host-address.js';
import {
  type LookupAddresses,
  OutgoingAddresses,
  OutgoingAddressError,
} from '../../common/network/outgoing-addresses.js';

/** Ranges of the public internet, including IPv6 ranges that embed an IPv4 address. */
const PUBLIC = ['unicast', 'rfc6052', 'rfc6145', '6to4', 'teredo'];

/** A public address may be called only with TLS. */
export class TlsRequiredError extends OutgoingAddressError {}

/** Allows only private addresses that the installation permits, because calls to them need no TLS. */
export class PlainAddresses extends OutgoingAddresses {
  constructor(refused: readonly string[], opened: readonly string[], lookup: LookupAddresses) {
    super(refused, opened, lookup);
  }

  override async resolveAllowed(host: string): Promise<string[]> {
    const found = await super.resolveAllowed(host);
    if (!found.some(isPublic)) return found;
    throw new TlsRequiredError(
      'address_refused',
      `${host} is on the public internet, where messages must be encrypted. Use https.`,
    );
  }
}

function isPublic(address: string): boolean {
  const canonical = toCanonicalAddress(address);
  return isIP(canonical) === 0 || PUBLIC.includes(ipaddr.parse(canonical).range());
}
