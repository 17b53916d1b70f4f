import { ApiProperty } from '@nestjs/swagger';
import { PINNED_HOW, type PinnedHow } from '../server.entity.js';
import { HostKeyView } from '../servers.view.js';
import type { Pin } from './pin-history.js';

/** A key that a server is let in by, or was. */
export class PinView extends HostKeyView {
  /** It signs host certificates (`@cert-authority`); it is no key of the host itself. */
  certAuthority: boolean;
  /** Null: before that was recorded. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  pinnedAt: string | null;
  /** Who pinned it. */
  @ApiProperty({ type: String, nullable: true })
  pinnedBy: string | null;
  /** By what: the registration of the server, the acceptance of the key that it showed, or one of the others. */
  @ApiProperty({ enum: PINNED_HOW, nullable: true })
  pinnedHow: PinnedHow | null;
  /** When it ceased to be pinned; null: it is. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  retiredAt: string | null;
  @ApiProperty({ type: String, nullable: true })
  retiredBy: string | null;
  @ApiProperty({ enum: PINNED_HOW, nullable: true })
  retiredHow: PinnedHow | null;
}

export class PinListView {
  /** Those that are pinned first, then those that were, latest first; at most the latest hundred of them. */
  items: PinView[];
}

export const toPinView = (pin: Pin): PinView => ({
  type: pin.type,
  publicKey: pin.publicKey,
  fingerprint: pin.fingerprint,
  certAuthority: pin.authority,
  pinnedAt: pin.pinnedAt?.toISOString() ?? null,
  pinnedBy: pin.pinnedBy,
  pinnedHow: pin.pinnedHow,
  retiredAt: pin.retiredAt?.toISOString() ?? null,
  retiredBy: pin.retiredBy,
  retiredHow: pin.retiredHow,
});
