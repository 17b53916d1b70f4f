import { ApiProperty } from '@nestjs/swagger';
import { FAULT_CODES, type FaultCode } from '../../common/errors/fault-codes.js';
import type { PlanFolderSync } from './plan-sync.entity.js';

/** A plan that a sync made, changed or took away. */
export class SyncedPlanView {
  planId: string;
  /** @example "Restart web" */
  name: string;
  /** The file, from the top of the repository. */
  path: string;
}

export class KeptPlanView extends SyncedPlanView {
  /** Why it could not be deleted with its file. */
  reason: string;
}

/** Why a file did not become a plan, or why its plan stays as it was. */
export class InvalidPlanFileView {
  path: string;
  /** From 1; null: it is about the file or folder as a whole. */
  @ApiProperty({ type: Number, nullable: true })
  line: number | null;
  @ApiProperty({ type: Number, nullable: true })
  column: number | null;
  @ApiProperty({ enum: Object.keys(FAULT_CODES) })
  code: FaultCode;
  message: string;
  /** The plan that comes from the file; null: none does. */
  @ApiProperty({ type: String, nullable: true })
  planId: string | null;
}

/** What a commit led to. Each list holds the first 200; what the caller may not see is only counted. */
export class PlanSyncView {
  id: string;
  commit: string;
  at: string;
  /** Why nothing of the commit could be read; null: it was. */
  @ApiProperty({ type: String, nullable: true })
  error: string | null;
  @ApiProperty({ type: [SyncedPlanView] })
  created: SyncedPlanView[];
  @ApiProperty({ type: [SyncedPlanView] })
  changed: SyncedPlanView[];
  @ApiProperty({ type: [SyncedPlanView] })
  removed: SyncedPlanView[];
  /** Plans whose file is gone, and that are in use. */
  @ApiProperty({ type: [KeptPlanView] })
  kept: KeptPlanView[];
  @ApiProperty({ type: [InvalidPlanFileView] })
  invalid: InvalidPlanFileView[];
  createdCount: number;
  changedCount: number;
  removedCount: number;
  keptCount: number;
  /** Files. */
  invalidCount: number;
  /** Plans that are as their files say already. */
  unchanged: number;
  /** Files beyond the bounds, which were not looked at. */
  leftOut: number;
  /** Entries of the lists that the caller may not see. */
  hidden: number;
}

export class PlanSyncListView {
  items: PlanSyncView[];
  nextCursor: string | null;
}

/** @param seen whether the caller may see what is told */
export function toPlanSyncView(
  sync: PlanFolderSync,
  seen: (entry: { planId: string | null; environmentId: string | null }) => boolean,
): PlanSyncView {
  const { counts } = sync;
  const lists = [sync.created, sync.changed, sync.removed, sync.kept, sync.invalid];
  const plan = ({ planId, name, path }: SyncedPlanView) => ({ planId, name, path });
  return {
    id: sync.id,
    commit: sync.commit,
    at: sync.createdAt.toISOString(),
    error: sync.error,
    created: sync.created.filter(seen).map(plan),
    changed: sync.changed.filter(seen).map(plan),
    removed: sync.removed.filter(seen).map(plan),
    kept: sync.kept.filter(seen).map((each) => ({ ...plan(each), reason: each.reason })),
    invalid: sync.invalid
      .filter(seen)
      .map(({ path, line, column, code, message, planId }) => ({ path, line, column, code, message, planId })),
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
