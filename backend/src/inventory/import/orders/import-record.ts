import type { Principal } from '../../../common/access/principal.js';
import type { OtherServerItem } from '../../../common/errors/problem.js';
import type { VariableValue } from '../../../common/variables/variable-value.js';
import type { HostKey } from '../../../transport/keys/host-key.js';
import type { PinnedKey } from '../../../transport/keys/pinned-key.js';
import type { ImportFormat, JumpHost, NotCarried } from '../formats/texts/inventory-text.js';
import type { ImportAction, PruneWay } from './imports.dto.js';

/** A server as the text of an import describes it, checked. What is undefined, the text does not say. */
export interface WantedServer {
  name: string;
  externalId?: string;
  /** Why it is not imported, though the text names it. */
  leftOut?: string;
  hostname?: string;
  port?: number;
  username?: string;
  enabled?: boolean;
  legacyAlgorithms?: boolean;
  /** Null: the default. */
  loginTimeoutSeconds?: number | null;
  tags?: Record<string, string>;
  /** No secrets: those that a text holds are left in it. */
  variables?: Record<string, VariableValue>;
  /** One key of the host, which leaves open whether there are others. */
  hostKey?: HostKey;
  /** All that the host is let in by. */
  hostKeys?: PinnedKey[];
  /** The hosts on the way to it, the first one nearest to Runward. */
  jumps?: JumpHost[];
  /** Instead of them, why the way that the text states can't be read. */
  unreadWay?: string;
  /** Instead of them, what it is reached through: by its external id or its name; null: directly. */
  jumpServer?: string | null;
}

/** One entry of an import, at its place in the text. */
export interface ImportEntry {
  position: number;
  line: number | null;
  wanted: WantedServer;
}

/** One field that differs, in words; null: it has no value. */
export interface FieldChange {
  field: string;
  before: string | null;
  after: string | null;
}

/** What is to be done with one server. */
export interface PlannedEntry {
  position: number;
  line: number | null;
  name: string;
  action: ImportAction;
  serverId: string | null;
  changes: FieldChange[];
  reason: string | null;
}

/** What stands against an import. */
export interface StoredFault {
  line: number | null;
  entry: string | null;
  code: string;
  message: string;
}

/** Who asked for an import, as of that moment; the role is looked up anew when it is carried out. */
export type Requester = Omit<Principal, 'role'>;

/** Why one entry of the text can't be imported. */
export interface EntryRefusal extends StoredFault {
  position: number;
  /** Servers of other environments that are the reason. */
  others?: readonly OtherServerItem[];
}

/** What is not carried over, as it is stored and told. */
export type NotCarriedRow = Pick<NotCarried, 'line' | 'entry' | 'what' | 'reason' | 'places'>;

/** What is asked for. */
export interface ImportOrder {
  environmentId: string;
  format: ImportFormat;
  source: string | null;
  prune: PruneWay;
  pruneLimitPercent: number;
  sshKeyId: string | null;
  username: string | null;
  /** Servers that can't be imported are left out, instead of the import being refused. */
  skipFaulty: boolean;
  preview: boolean;
  /** Whether an admin confirms hosts that were proved in other environments. */
  confirmHosts: boolean;
  /** What a preview showed; null: whatever is found to be done. */
  expectedDigest: string | null;
  notCarried: NotCarriedRow[];
  moreNotCarried: number;
}

/** Most of the faults that an import tells. */
export const TOLD_FAULTS = 20;
