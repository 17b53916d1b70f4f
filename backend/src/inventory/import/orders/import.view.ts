import { ApiProperty } from '@nestjs/swagger';
import { OtherServerView } from '../../../common/http/problem.view.js';
import { IMPORT_FORMATS, type ImportFormat } from '../formats/texts/inventory-text.js';
import { IMPORT_ACTIONS, type ImportAction, PRUNE_WAYS, type PruneWay } from './imports.dto.js';

export const IMPORT_STATES = ['pending', 'running', 'succeeded', 'failed'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** How many servers are treated in which way. */
export class ImportCountsView {
  /** @example 12 */
  create: number;
  /** @example 3 */
  change: number;
  /** They are as the text says already. @example 480 */
  leave: number;
  /** Switched off, because the source does not name them any more. @example 1 */
  disable: number;
  /** Removed, because the source does not name them any more. @example 0 */
  remove: number;
  /** Left alone though the source does not name them any more; `reason` of the entry says why. @example 0 */
  keep: number;
  /** Left out, because they can't be imported; `reason` of the entry says why. @example 0 */
  skip: number;
  /** What stands against the whole import. @example 0 */
  refuse: number;
}

export class NotCarriedView {
  /** Line in the text; null: unknown. */
  @ApiProperty({ type: Number, nullable: true, example: 7 })
  line: number | null;
  /** Host or group that it belongs to; null: the whole text. */
  @ApiProperty({ type: String, nullable: true, example: 'web-1' })
  entry: string | null;
  /** @example "ansible_password" */
  what: string;
  /** @example "Passwords are not imported." */
  reason: string;
  /** In how many places of the text it stands. @example 1 */
  places: number;
}

export class ImportFaultView {
  @ApiProperty({ type: Number, nullable: true, example: 7 })
  line: number | null;
  @ApiProperty({ type: String, nullable: true, example: 'web-1' })
  entry: string | null;
  /** @example "duplicate_address" */
  code: string;
  /** @example "\"web-2\" has this address, port and login already in this environment." */
  message: string;
}

export class ImportUserView {
  id: string;
  /** @example "Ada" */
  name: string;
}

/** One import of servers, or the preview of one. */
export class ImportView {
  id: string;
  environmentId: string;
  /** `failed`: nothing was changed, and `faults` say why. */
  @ApiProperty({ enum: IMPORT_STATES })
  state: ImportState;
  preview: boolean;
  @ApiProperty({ enum: IMPORT_FORMATS })
  format: ImportFormat;
  @ApiProperty({ type: String, nullable: true, example: 'netbox' })
  source: string | null;
  @ApiProperty({ enum: PRUNE_WAYS })
  prune: PruneWay;
  /** @example 20 */
  pruneLimitPercent: number;
  /** Whether servers that can't be imported are left out, instead of stopping the import. */
  skipFaulty: boolean;
  /** The key for new servers; null: none was named. */
  @ApiProperty({ type: String, nullable: true })
  sshKeyId: string | null;
  /** The login for new servers that the text names none for; null: none was named. */
  @ApiProperty({ type: String, nullable: true, example: 'deploy' })
  username: string | null;
  /** The preview that it does; null: it does what was found to be done. */
  @ApiProperty({ type: String, nullable: true })
  previewId: string | null;
  /** Servers that the text names. @example 496 */
  total: number;
  /** How many of them have been worked on. @example 496 */
  processed: number;
  /** Null until it is known what is to be done. */
  @ApiProperty({ type: ImportCountsView, nullable: true })
  counts: ImportCountsView | null;
  /** What of the text is not carried over: the first 100. */
  notCarried: NotCarriedView[];
  /** How many further things are not. @example 0 */
  moreNotCarried: number;
  /** Why the import failed: the first 20. */
  faults: ImportFaultView[];
  /** How many further faults there are. @example 0 */
  moreFaults: number;
  /** Servers of other environments that servers of the text collide with, as far as the caller may see them: the first 20. */
  @ApiProperty({ type: [OtherServerView] })
  otherServers: OtherServerView[];
  /** How many of those servers the caller may not see. @example 0 */
  hiddenServers: number;
  /** Stands for what is to be done: a preview that is applied does that, or fails. Null until it is known. */
  @ApiProperty({ type: String, nullable: true, example: '5b0c…' })
  digest: string | null;
  createdBy: ImportUserView;
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

/** One field of a server that differs. */
export class FieldChangeView {
  /** @example "hostname" */
  field: string;
  /** In words; null: it has none. @example "10.0.0.4" */
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
  @ApiProperty({ enum: IMPORT_ACTIONS })
  action: ImportAction;
  /** The server that is there; null: there is none yet, or none any more. */
  @ApiProperty({ type: String, nullable: true })
  serverId: string | null;
  changes: FieldChangeView[];
  /** Why the server is kept or left out, or what stands against the import; null: nothing to say. */
  @ApiProperty({ type: String, nullable: true, example: null })
  reason: string | null;
}

export class ImportEntryListView {
  items: ImportEntryView[];
  nextCursor: string | null;
}
