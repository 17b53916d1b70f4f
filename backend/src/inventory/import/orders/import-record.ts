import type { Principal } from '../../../common/access/principal.js';
import type { OtherServerItem } from '../../../common/errors/problem.js';
import type { VariableValue } from '../../../common/variables/variable-value.js';
import type { HostKey } from '../../../transport/keys/host-key.js';
import type { PinnedKey } from '../../../transport/keys/pinned-key.js';
import type { ImportFormat, JumpHost, NotCarried } from '../formats/texts/inventory-text.js';
import type { ImportAction, PruneAction } from './imports.dto.js';

/** Validated server of an import's text. Undefined fields are not in the text. */
export interface ImportedServer {
  name: string;
  externalId?: string;
  leftOut?: string;
  hostname?: string;
  port?: number;
  username?: string;
  enabled?: boolean;
  legacyAlgorithms?: boolean;
  /** Null: the default. */
  loginTimeoutSeconds?: number | null;
  tags?: Record<string, string>;
  /** Plain variables; secrets of a text are not imported. */
  variables?: Record<string, VariableValue>;
  /** One key of the host; there may be others. */
  hostKey?: HostKey;
  /** The complete set of accepted keys. */
  hostKeys?: PinnedKey[];
  jumps?: JumpHost[];
  /** Instead of `jumps`: reason why the jump path in the text can't be read. */
  unreadWay?: string;
  /** Instead of `jumps`: external id or name of the jump server; null: direct connection. */
  jumpServer?: string | null;
}

export interface ImportEntry {
  position: number;
  line: number | null;
  wanted: ImportedServer;
}

/** One field that differs, as text; null: no value. */
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
  code: string;
  message: string;
}

/** Requester of an import at that moment; the role is looked up again when it is carried out. */
export type Requester = Omit<Principal, 'role'>;

export interface EntryRefusal extends StoredFault {
  position: number;
  others?: readonly OtherServerItem[];
}

export type NotCarriedRow = Pick<NotCarried, 'line' | 'entry' | 'what' | 'reason' | 'places'>;

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
  /** Whether an admin confirms hosts that were proved in other environments. */
  confirmHosts: boolean;
  /** Digest of a preview; null: not restricted to a preview. */
  expectedDigest: string | null;
  notCarried: NotCarriedRow[];
  moreNotCarried: number;
}

export const MAX_FAULTS = 20;
