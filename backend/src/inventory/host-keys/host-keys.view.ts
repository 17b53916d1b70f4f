import { ApiProperty } from '@nestjs/swagger';
import { toUserReference, UserReference } from '../../common/http/user-reference.view.js';
import { PINNED_HOW, type PinnedHow } from '../fields/server.entity.js';
import { HostKeyView } from '../servers.view.js';
import type { Pin } from './pin-history.js';

/** Current or former pin of a server. */
export class PinView extends HostKeyView {
  /** Signs host certificates (`@cert-authority`); it is not a key of the host. */
  certAuthority: boolean;
  /** Time of the pin; null = not recorded by earlier versions. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  pinnedAt: string | null;
  /** Member who pinned it; null = unknown. */
  @ApiProperty({ type: UserReference, nullable: true })
  pinnedBy: UserReference | null;
  /** Operation that pinned it, such as registration of the server or acceptance of the key it showed. */
  @ApiProperty({ enum: PINNED_HOW, nullable: true })
  pinnedHow: PinnedHow | null;
  /** Time at which the pin was removed; null = still pinned. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  retiredAt: string | null;
  /** Member who removed the pin; null = unknown, or still pinned. */
  @ApiProperty({ type: UserReference, nullable: true })
  retiredBy: UserReference | null;
  /** Operation that removed the pin; null = still pinned. */
  @ApiProperty({ enum: PINNED_HOW, nullable: true })
  retiredHow: PinnedHow | null;
}

export class PinListView {
  /** Current pins, then former pins, latest first. At most 100 former pins. */
  items: PinView[];
}

export const toPinView = (pin: Pin): PinView => ({
  type: pin.type,
  publicKey: pin.publicKey,
  fingerprint: pin.fingerprint,
  certAuthority: pin.authority,
  pinnedAt: pin.pinnedAt?.toISOString() ?? null,
  pinnedBy: toUserReference(pin.pinnedById, pin.pinnedBy),
  pinnedHow: pin.pinnedHow,
  retiredAt: pin.retiredAt?.toISOString() ?? null,
  retiredBy: toUserReference(pin.retiredById, pin.retiredBy),
  retiredHow: pin.retiredHow,
});
