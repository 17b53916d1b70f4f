import { ApiProperty } from '@nestjs/swagger';
import { OtherServerView } from '../../../common/http/problem.view.js';
import { IMPORT_FORMATS, type ImportFormat } from '../formats/import-formats.js';
import { IMPORT_ACTIONS, type ImportAction, PRUNE_ACTIONS, type PruneAction } from './imports.dto.js';
import { UserReference } from '../../../common/http/user-reference.view.js';
import { Reason } from '../../../common/http/reason.view.js';

export const IMPORT_STATUSES = ['pending', 'running', 'succeeded', 'failed'] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** Number of servers per action. */
export class ImportCountsView {
  /**
   * Servers to create.
   * @example 12
   */
  create: number;
  /**
   * Servers to change.
   * @example 3
   */
  change: number;
  /** Servers that already match the text. @example 480 */
  leave: number;
  /** Servers to disable, because the source no longer names them. @example 1 */
  disable: number;
  /** Servers to remove, because the source no longer names them. @example 0 */
  remove: number;
  /** Servers that are kept although the source no longer names them; `reason` of the entry says why. @example 0 */
  keep: number;
  /** Servers that are skipped because they can't be imported; `reason` of the entry says why. @example 0 */
  skip: number;
  /** Entries that block the whole import. @example 0 */
  refuse: number;
}

export class NotCarriedView {
  /** Line in the text; null: unknown. */
  @ApiProperty({ type: Number, nullable: true, example: 7 })
  line: number | null;
  /** Host or group that contains the part; null: the whole text. */
  @ApiProperty({ type: String, nullable: true, example: 'web-1' })
  entry: string | null;
  /**
   * Name of the part of the text that has no equivalent, such as a variable or an option.
   * @example "ansible_password"
   */
  what: string;
  /** Why it is not imported. */
  reason: Reason;
  /** Number of occurrences in the text. @example 1 */
  places: number;
}

export class ImportFaultView {
  /** Line in the text, from 1; null = unknown. */
  @ApiProperty({ type: Number, nullable: true, example: 7 })
  line: number | null;
  /** Name of the faulty host or group; null = the whole text. */
  @ApiProperty({ type: String, nullable: true, example: 'web-1' })
  entry: string | null;
  /** Why the import failed. */
  reason: Reason;
}

/** An import of servers, or a preview. */
export class ImportView {
  id: string;
  environmentId: string;
  /** `failed`: nothing was changed, and `faults` contains the reasons. */
  @ApiProperty({ enum: IMPORT_STATUSES })
  status: ImportStatus;
  /** True = nothing is changed; the import only calculates the changes. */
  preview: boolean;
  /** Format of the text: a list of servers, or a format of Ansible or OpenSSH. */
  @ApiProperty({ enum: IMPORT_FORMATS })
  format: ImportFormat;
  /** External system that the text comes from; null = servers are identified by name. */
  @ApiProperty({ type: String, nullable: true, example: 'netbox' })
  source: string | null;
  /** Action for servers of the source that the text no longer names. */
  @ApiProperty({ enum: PRUNE_ACTIONS })
  prune: PruneAction;
  /**
   * Maximum percentage of the source's servers that `prune` may affect.
   * @example 20
   */
  pruneLimitPercent: number;
  /** Whether servers that can't be imported are skipped, instead of stopping the import. */
  skipFaulty: boolean;
  /** SSH key for new servers; null: none. */
  @ApiProperty({ type: String, nullable: true })
  sshKeyId: string | null;
  /** Login user for new servers without one in the text; null: none. */
  @ApiProperty({ type: String, nullable: true, example: 'deploy' })
  username: string | null;
  /** Preview that this import applies; null: the import applies no preview. */
  @ApiProperty({ type: String, nullable: true })
  previewId: string | null;
  /** Number of servers in the text. @example 496 */
  total: number;
  /** Number of processed servers. @example 496 */
  processed: number;
  /** Null until the changes are calculated. */
  @ApiProperty({ type: ImportCountsView, nullable: true })
  counts: ImportCountsView | null;
  /** Parts of the text that are not imported: the first 100. */
  notCarried: NotCarriedView[];
  /** Number of further parts that are not imported. @example 0 */
  moreNotCarried: number;
  /** Why the import failed: the first 20 reasons. */
  faults: ImportFaultView[];
  /** Number of further reasons. @example 0 */
  moreFaults: number;
  /**
   * Servers in other environments that servers of the text collide with. Contains the first 20 that the caller can see.
   */
  @ApiProperty({ type: [OtherServerView] })
  otherServers: OtherServerView[];
  /** Number of colliding servers in other environments that the caller can't see. @example 0 */
  hiddenServers: number;
  /**
   * Digest of the planned changes; null until it is calculated. Applying a preview makes exactly these changes, or
   * fails.
   */
  @ApiProperty({ type: String, nullable: true, example: '5b0c…' })
  digest: string | null;
  createdBy: UserReference;
  createdAt: string;
  @ApiProperty({ type: String, nullable: true })
  startedAt: string | null;
  @ApiProperty({ type: String, nullable: true })
  finishedAt: string | null;
}

export class ImportListView {
  items: ImportView[];
  nextCursor: string | null;
}

/** Changed field of a server. */
export class FieldChangeView {
  /**
   * Name of the changed field, as in the server.
   * @example "hostname"
   */
  field: string;
  /** Value as text; null: no value. @example "10.0.0.4" */
  @ApiProperty({ type: String, nullable: true, example: '10.0.0.4' })
  before: string | null;
  @ApiProperty({ type: String, nullable: true, example: '10.0.0.5' })
  after: string | null;
}

export class ImportEntryView {
  /** Line in the text; null: unknown, or the text does not name the server. */
  @ApiProperty({ type: Number, nullable: true, example: 7 })
  line: number | null;
  /** @example "web-1" */
  name: string;
  /** Planned action. `keep`, `skip` and `refuse` change nothing; `reason` says why. */
  @ApiProperty({ enum: IMPORT_ACTIONS })
  action: ImportAction;
  /** Existing server; null: not created yet, or deleted. */
  @ApiProperty({ type: String, nullable: true })
  serverId: string | null;
  /** Changed fields; empty unless `action` is `change`. */
  changes: FieldChangeView[];
  /** Why the server is kept or skipped, or blocks the import; null: no reason. */
  @ApiProperty({ type: Reason, nullable: true, example: null })
  reason: Reason | null;
}

export class ImportEntryListView {
  items: ImportEntryView[];
  nextCursor: string | null;
}
