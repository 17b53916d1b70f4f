import type { EntityManager } from 'typeorm';
import { affected, row, sql } from '../../common/database/sql.js';
import type { FaultCode } from '../../common/errors/fault-codes.js';
import type { ReasonCode } from '../../common/errors/reason-codes.js';
import { newId } from '../../common/ids.js';
import type { SyncCounts } from '../../git-sources/records/plan-folders.js';
import type { ManagedPlan } from './folder-records.js';

/** Plan that a sync created, changed, deleted or kept. */
export interface ReportedPlan {
  planId: string;
  name: string;
  path: string;
  /** Determines who can see the plan in the report. */
  environmentId: string | null;
}

export interface KeptPlan extends ReportedPlan {
  /** Missing in reports of earlier versions. */
  code?: ReasonCode;
  reason: string;
}

/** Reason why a file did not become a plan, or why its plan was not changed. */
export interface InvalidFile {
  path: string;
  /** Null: the fault concerns the file or folder as a whole. */
  line: number | null;
  column: number | null;
  code: FaultCode;
  message: string;
  /** Plan of the file; null: none yet. */
  planId: string | null;
  environmentId: string | null;
  /**
   * True for a file without a plan that could belong to any environment: it was not parsed, or names an unknown
   * environment.
   */
  environmentUnknown?: true;
}

/** Subject of an invalid file. It determines who can see the file in the report. */
export type FileSubject = Pick<InvalidFile, 'planId' | 'environmentId' | 'environmentUnknown'>;

/**
 * Returns plan and environment of a file.
 * @param value parsed content; null: the file could not be parsed
 */
export async function toFileSubject(
  plan: ManagedPlan | null,
  value: unknown,
  environmentIdOf: (nameOrId: string) => Promise<string | null>,
): Promise<FileSubject> {
  if (plan) return { planId: plan.id, environmentId: plan.environmentId };
  const name = isRecord(value) ? (value.environment ?? null) : undefined;
  if (name === null) return { planId: null, environmentId: null };
  const environmentId = typeof name === 'string' ? await environmentIdOf(name) : null;
  return { planId: null, environmentId, ...(environmentId === null ? { environmentUnknown: true } : {}) };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface FolderReport {
  commit: string;
  /** Reason why the commit could not be read; null: it was read. */
  error: string | null;
  created: ReportedPlan[];
  changed: ReportedPlan[];
  removed: ReportedPlan[];
  kept: KeptPlan[];
  invalid: InvalidFile[];
  unchanged: number;
  leftOut: number;
}

const MAX_LISTED_PLANS = 200;
const MAX_REPORTS = 50;
const MAX_MESSAGE_LENGTH = 1000;

export const createEmptyReport = (commit: string, error: string | null = null): FolderReport => ({
  ...{ commit, error, created: [], changed: [], removed: [], kept: [], invalid: [] },
  ...{ unchanged: 0, leftOut: 0 },
});

/** Stores a report, unless it repeats the previous one. */
export async function storeReport(
  tx: EntityManager,
  tenantId: string,
  sourceId: string,
  report: FolderReport,
): Promise<void> {
  const { commit, error, unchanged, leftOut } = report;
  const counts: SyncCounts = {
    ...{ created: report.created.length, changed: report.changed.length, unchanged, removed: report.removed.length },
    ...{ kept: report.kept.length, invalid: new Set(report.invalid.map(({ path }) => path)).size, leftOut },
  };
  const shortened = report.invalid.map((each) => ({ ...each, message: each.message.slice(0, MAX_MESSAGE_LENGTH) }));
  const kept = toListedJson(report.kept);
  const invalid = toListedJson(shortened);
  const ofSource = sql`tenant_id = ${tenantId} and git_source_id = ${sourceId}`;
  if (counts.created + counts.changed + counts.removed === 0) {
    const last = await row(
      tx,
      sql<{ same: boolean }>`select commit = ${commit} and error is not distinct from ${error}
            and kept = ${kept}::jsonb and invalid = ${invalid}::jsonb as same
          from plan_folder_syncs where ${ofSource} order by id desc limit 1`,
    );
    if (last?.same) return;
  }
  await affected(
    tx,
    sql`insert into plan_folder_syncs (id, tenant_id, git_source_id, commit, error, counts, created, changed, removed, kept, invalid)
      values (${newId()}, ${tenantId}, ${sourceId}, ${commit}, ${error}, ${JSON.stringify(counts)},
        ${toListedJson(report.created)}, ${toListedJson(report.changed)}, ${toListedJson(report.removed)}, ${kept}, ${invalid})`,
  );
  await affected(
    tx,
    sql`delete from plan_folder_syncs where ${ofSource} and id <= (
        select id from plan_folder_syncs where ${ofSource} order by id desc offset ${MAX_REPORTS} limit 1
      )`,
  );
}

const toListedJson = (entries: readonly object[]): string => JSON.stringify(entries.slice(0, MAX_LISTED_PLANS));
