import type { Principal } from '../../../common/access/principal.js';
import type { OtherServerItem } from '../../../common/errors/problem.js';
import type { VariableValue } from '../../../variables/variable-value.js';
import type { HostKey } from '../../../transport/keys/host-key.js';
import type { PinnedKey } from '../../../transport/keys/pinned-key.js';
import type { ImportFormat } from '../formats/import-formats.js';
import type { ImportedFields, ImportedJumpHost, NotCarriedSetting } from '../formats/texts/inventory-text.js';
import type { ImportAction, PruneAction } from './imports.dto.js';
import { ReasonCode } from '../../../common/errors/reason-codes.js';

/** Validated server of an import. Undefined fields are not in the text. */
export interface ImportedServer extends ImportedFields {
  leftOut?: string;
  /** Variables without secrets: secrets of a text are not imported. */
  variables?: Record<string, VariableValue>;
  hostKey?: HostKey;
  hostKeys?: PinnedKey[];
  jumps?: ImportedJumpHost[];
  /** Reason why the jump path in the text can't be read; set instead of `jumps`. */
  unreadWay?: string;
  /** External id or name of the jump server, set instead of `jumps`; null: direct connection. */
  jumpServer?: string | null;
}

export interface ImportEntry {
  position: number;
  line: number | null;
  wanted: ImportedServer;
}

export interface FieldChange {
  field: string;
  before: string | null;
  after: string | null;
}

export interface PlannedEntry {
  position: number;
  line: number | null;
  name: string;
  action: ImportAction;
  serverId: string | null;
  changes: FieldChange[];
  reason: string | null;
}

export interface StoredFault {
  line: number | null;
  entry: string | null;
  code: ReasonCode;
  message: string;
}

/** Requester when the import was requested. The role is read again when the import is carried out. */
export type Requester = Omit<Principal, 'role'>;

export interface EntryRefusal extends StoredFault {
  position: number;
  others?: readonly OtherServerItem[];
}

export type NotCarriedRow = Pick<NotCarriedSetting, 'line' | 'entry' | 'what' | 'reason' | 'places'>;

export interface ImportOrder {
  environmentId: string;
  format: ImportFormat;
  source: string | null;
  prune: PruneAction;
  pruneLimitPercent: number;
  sshKeyId: string | null;
  username: string | null;
  skipFaulty: boolean;
  preview: boolean;
  confirmHosts: boolean;
  /** Digest of the preview to apply; null: the import applies no preview. */
  expectedDigest: string | null;
  notCarried: NotCarriedRow[];
  moreNotCarried: number;
}

export const MAX_FAULTS = 20;
