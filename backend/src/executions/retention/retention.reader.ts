import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { ENVIRONMENTS_SQL } from '../../environments/environments.sql.js';
import type { RetentionRuleView } from '../contract/retention-rule.view.js';
import type { RetentionPassView, RetentionPreviewView, RetentionView } from './retention.view.js';
import { type PassRow, findPass, type RuleRow, loadRules } from './retention-rows.js';
import type { RetentionSurvey } from './survey.js';

const MAX_LISTED_ENVIRONMENTS = 500;

interface StoredRow {
  id: string;
  name: string | null;
  runs: string;
  bytes: string;
  held: number;
  oldest: Date | null;
  all_runs: string;
  all_bytes: string;
  environments: number;
}

/**
 * Stored runs and their retention. Uses maintained totals instead of reading runs, except the oldest run of each
 * environment.
 */
@Injectable()
export class RetentionReader {
  constructor(private readonly units: UnitOfWork) {}

  get(caller: Principal): Promise<RetentionView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const rules = await loadRules(tx, caller.tenantId);
      const stored = await rows(
        tx,
        sql<StoredRow>`select s.*, coalesce(h.runs, 0)::int as held, (select r.created_at from executions r
              where r.tenant_id = ${caller.tenantId} and r.environment_id = s.id order by r.id limit 1) as oldest
          from (select coalesce(e.id, t.environment_id) as id, e.name, coalesce(t.runs, 0) as runs, coalesce(t.bytes, 0) as bytes,
                coalesce(sum(t.runs) over (), 0) as all_runs, coalesce(sum(t.bytes) over (), 0) as all_bytes,
                count(*) over ()::int as environments
              from (select * from ${ENVIRONMENTS_SQL} each where each.tenant_id = ${caller.tenantId}) e
              full join (select environment_id, sum(runs) as runs, sum(bytes) as bytes from execution_totals
                where tenant_id = ${caller.tenantId} group by 1 having sum(runs) <> 0) t on t.environment_id = e.id
              order by 4 desc, 3 desc, lower(e.name), 1 limit ${MAX_LISTED_ENVIRONMENTS}) s
          left join (select environment_id, count(*) as runs from executions
              where tenant_id = ${caller.tenantId} and legal_hold group by 1) h on h.environment_id = s.id
          order by s.bytes desc, s.runs desc, lower(s.name), s.id`,
      );
      const [first] = stored;
      return {
        rule: toRuleView(rules.find(({ environmentId }) => environmentId === null)),
        runs: Number(first?.all_runs ?? 0),
        bytes: Number(first?.all_bytes ?? 0),
        environments: stored.map((row) => ({
          environmentId: row.id,
          environmentName: row.name,
          runs: Number(row.runs),
          bytes: Number(row.bytes),
          heldRuns: row.held,
          oldestAt: row.oldest?.toISOString() ?? null,
          rule: toRuleView(rules.find(({ environmentId }) => environmentId === row.id)),
        })),
        moreEnvironments: (first?.environments ?? 0) - stored.length,
        pass: toPassView(await findPass(tx, caller.tenantId)),
      };
    });
  }

  /**
   * Adds environment names and totals to the surveys. Lists at most `limit` environments, those with the most due bytes
   * first.
   */
  toPreviewView(caller: Principal, surveys: readonly RetentionSurvey[], limit: number): Promise<RetentionPreviewView> {
    const affectedSurveys = surveys
      .filter(({ runs, kept, complete }) => runs > 0 || !complete || Object.keys(kept).length > 0)
      .sort((a, b) => b.bytes - a.bytes || b.runs - a.runs)
      .slice(0, limit);
    const sum = (of: (each: RetentionSurvey) => number) => surveys.reduce((all, each) => all + of(each), 0);
    return this.units.run(caller.tenantId, async (tx) => {
      const ids = affectedSurveys.map(({ environmentId }) => environmentId);
      const names = await rows(
        tx,
        sql<{ id: string; name: string }>`
          select e.id, e.name from ${ENVIRONMENTS_SQL} e where e.tenant_id = ${caller.tenantId} and e.id = any (${ids})`,
      );
      const complete = surveys.every((each) => each.complete);
      const [runs, bytes] = [sum((each) => each.runs), sum((each) => each.bytes)];
      const [ofRuns, ofBytes] = [sum((each) => each.of.runs), sum((each) => each.of.bytes)];
      return {
        runs,
        bytes,
        ofRuns,
        ofBytes,
        // An incomplete scan may have missed runs, so the share may be above half.
        needsConfirmation: !complete || runs * 2 > ofRuns || bytes * 2 > ofBytes,
        complete,
        environments: affectedSurveys.map(({ of, from, to, ...each }) => ({
          ...each,
          environmentName: names.find(({ id }) => id === each.environmentId)?.name ?? null,
          ofRuns: of.runs,
          ofBytes: of.bytes,
          from: from?.toISOString() ?? null,
          to: to?.toISOString() ?? null,
        })),
      };
    });
  }
}

const toRuleView = (rule: RuleRow | undefined): RetentionRuleView | null =>
  rule
    ? {
        keepDays: rule.keepDays,
        keepRuns: rule.keepRuns,
        keepBytes: rule.keepBytes,
        updatedAt: rule.updatedAt.toISOString(),
        updatedBy: rule.updatedBy,
      }
    : null;

function toPassView(row: PassRow | null): RetentionPassView | null {
  if (!row) return null;
  return {
    // For `infinity`, the driver returns a number instead of a date.
    dueAt: row.due_at instanceof Date ? row.due_at.toISOString() : null,
    begunAt: row.begun_at?.toISOString() ?? null,
    lastFinishedAt: row.last_ended_at?.toISOString() ?? null,
    lastRuns: row.last_runs === null ? null : Number(row.last_runs),
    lastBytes: row.last_bytes === null ? null : Number(row.last_bytes),
  };
}
