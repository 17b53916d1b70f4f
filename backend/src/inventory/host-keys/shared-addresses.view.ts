import { ApiProperty } from '@nestjs/swagger';
import { UserReference } from '../../common/http/user-reference.view.js';
import { RequiredMultilineText } from '../../common/http/fields.js';

export class MarkSharedAddressRequest {
  /**
   * Reason why several machines have this address.
   * @example "NAT gateway of the branch office, one forwarded port per host"
   */
  @RequiredMultilineText(1000)
  reason: string;
}

/** Address that several machines share. Servers with other ports there are other machines. */
export class SharedAddressView {
  /** Canonical address or host name. @example "203.0.113.7" */
  address: string;
  /** Reason why several machines have this address. */
  reason: string;
  /** Null = unknown. */
  @ApiProperty({ type: UserReference, nullable: true })
  markedBy: UserReference | null;
  markedAt: string;
}

export class SharedAddressListView {
  /** Sorted by address, at most 1,000. */
  items: SharedAddressView[];
}
