import { ApiProperty } from '@nestjs/swagger';
import type { InvalidFile } from './folder-report.js';
import type { PlanFolderSync } from './plan-sync.entity.js';
import { Reason, toReason } from '../../common/http/reason.view.js';

/** A plan that a sync created, changed or deleted. */
export class SyncedPlanView {
  planId: string;
  /** @example "Restart web" */
  name: string;
  /** Path of the file from the root of the repository. */
  path: string;
}

export class KeptPlanView extends SyncedPlanView {
  /** Why it could not be deleted with its file. */
  reason: Reason;
}

/** A file that could not become a plan or update its plan, and the reason. */
export class InvalidPlanFileView {
  path: string;
  /** Line, from 1; null = the file or folder as a whole. */
  @ApiProperty({ type: Number, nullable: true })
  line: number | null;
  @ApiProperty({ type: Number, nullable: true })
  column: number | null;
  reason: Reason;
  /** Existing plan of the file; null = none. */
  @ApiProperty({ type: String, nullable: true })
  planId: string | null;
}

/** Result of a commit. Each list has at most 200 entries; entries that you cannot see are only counted. */
export class PlanSyncView {
  id: string;
  commit: string;
  /** Time at which Runward applied the commit, in UTC. */
  at: string;
  /** Why the commit could not be read; null = it was read. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** New plans, at most 200. */
  @ApiProperty({ type: [SyncedPlanView] })
  created: SyncedPlanView[];
  /** Plans with a new revision, at most 200. */
  @ApiProperty({ type: [SyncedPlanView] })
  changed: SyncedPlanView[];
  /** Deleted plans, whose files no longer exist, at most 200. */
  @ApiProperty({ type: [SyncedPlanView] })
  removed: SyncedPlanView[];
  /** Plans whose file was deleted, but that are in use. */
  @ApiProperty({ type: [KeptPlanView] })
  kept: KeptPlanView[];
  /** Files that are not valid plans, at most 200. */
  @ApiProperty({ type: [InvalidPlanFileView] })
  invalid: InvalidPlanFileView[];
  /** Number of new plans, listed or not. */
  createdCount: number;
  /** Number of changed plans, listed or not. */
  changedCount: number;
  /** Number of deleted plans, listed or not. */
  removedCount: number;
  /** Number of plans without a file that could not be deleted, listed or not. */
  keptCount: number;
  /** Number of invalid files. */
  invalidCount: number;
  /** Number of plans that already match their files. */
  unchanged: number;
  /** Number of files beyond the limits, which were not read. */
  leftOut: number;
  /** Number of list entries that you cannot see. */
  hidden: number;
}

export class PlanSyncListView {
  items: PlanSyncView[];
  nextCursor: string | null;
}

/** Entry of a report, with the fields that determine who may see it. */
export type SyncEntry = Pick<InvalidFile, 'path' | 'planId' | 'environmentId' | 'environmentUnknown'>;

/** @param seen whether the caller may see the entry */
export function toPlanSyncView(sync: PlanFolderSync, seen: (entry: SyncEntry) => boolean): PlanSyncView {
  const { counts } = sync;
  const lists = [sync.created, sync.changed, sync.removed, sync.kept, sync.invalid];
  const plan = ({ planId, name, path }: SyncedPlanView) => ({ planId, name, path });
  return {
    id: sync.id,
    commit: sync.commit,
    at: sync.createdAt.toISOString(),
    reason: toReason(sync.error === null ? null : 'plans_not_read', sync.error),
    created: sync.created.filter(seen).map(plan),
    changed: sync.changed.filter(seen).map(plan),
    removed: sync.removed.filter(seen).map(plan),
    kept: sync.kept
      .filter(seen)
      .map((each) => ({ ...plan(each), reason: { code: each.code ?? 'in_use', text: each.reason } })),
    invalid: sync.invalid.filter(seen).map(({ path, line, column, code, message, planId }) => ({
      ...{ path, line, column, planId },
      reason: { code, text: message },
    })),
    createdCount: counts.created,
    changedCount: counts.changed,
    removedCount: counts.removed,
    keptCount: counts.kept,
    invalidCount: counts.invalid,
    unchanged: counts.unchanged,
    leftOut: counts.leftOut,
    hidden: lists.reduce((sum, list) => sum + list.filter((each) => !seen(each)).length, 0),
  };
}
