import { Prose } from '../../common/http/fields.js';

export class MarkSharedAddressRequest {
  /**
   * Why several machines have this address.
   * @example "NAT gateway of the branch office, one forwarded port per host"
   */
  @Prose(1000)
  reason: string;
}

/** An address that several machines share: servers with other ports there are other machines. */
export class SharedAddressView {
  /** In one spelling; a host name too. @example "203.0.113.7" */
  address: string;
  reason: string;
  markedBy: string;
  markedAt: string;
}

export class SharedAddressListView {
  /** By address, at most 1,000. */
  items: SharedAddressView[];
}
