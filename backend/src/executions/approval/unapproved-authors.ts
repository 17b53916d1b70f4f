import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditActors } from '../../audit/audit-actors.js';
import { RunPlanReader } from '../../plans/run-plan.reader.js';
import { ScriptReader } from '../../scripts/script.reader.js';
import { TemplateReader } from '../../templates/template.reader.js';
import type { FrozenLibrary } from '../record/library.js';
import type { FrozenCalledPlan } from '../record/run-content.js';
import type { RunRef } from '../record/run-head.js';
import { type Author, oneReasonEach, type UnapprovedRange, unapprovedRanges, usedRevisions } from './used-revisions.js';

/** What is to be known of a run that waits for approval. */
export interface RequestedRun {
  plan_id: string;
  plan_name: string;
  plan_revision: number;
  environment_id: string;
  library: FrozenLibrary | null;
  /** Plans that it calls. */
  called: FrozenCalledPlan[] | null;
}

/** Finds who wrote what a run would do for the first time since one ran approved in its environment. */
@Injectable()
export class UnapprovedAuthors {
  constructor(
    private readonly plans: RunPlanReader,
    private readonly scripts: ScriptReader,
    private readonly templates: TemplateReader,
    private readonly actors: AuditActors,
  ) {}

  async of(tx: EntityManager, ref: RunRef, run: RequestedRun): Promise<Author[]> {
    const plan = { id: run.plan_id, name: run.plan_name, revision: run.plan_revision };
    const used = usedRevisions(plan, run.library ?? undefined, run.called ?? []);
    const authors: Author[] = [];
    for (const range of unapprovedRanges(used, await this.lastApproved(tx, ref, run)))
      authors.push(...(await this.ofRange(tx, ref.tenantId, range)));
    return oneReasonEach(authors);
  }

  private async ofRange(tx: EntityManager, tenantId: string, range: UnapprovedRange): Promise<Author[]> {
    const { kind, name, id } = range;
    const found = await { plan: this.plans, script: this.scripts, template: this.templates }[kind].authors(
      tx,
      tenantId,
      range,
    );
    if (found) return found.map(({ userId, revision }) => ({ userId, kind, name, revision }));
    const actors = await this.actors.of(tx, tenantId, id, [`${kind}.create`, `${kind}.update`]);
    return actors.map((userId) => ({ userId, kind, name, revision: null }));
  }

  /**
   * The revisions, by id, of the run that last began approved there and whose plan is not newer than this one's; null:
   * there is none.
   */
  private async lastApproved(
    tx: EntityManager,
    ref: RunRef,
    { plan_id, plan_revision, environment_id }: RequestedRun,
  ): Promise<ReadonlyMap<string, number> | null> {
    const [row] = await tx.query<{ plan_revision: number; library: Record<string, number> | null }[]>(
      `select last.plan_revision, (select jsonb_object_agg(used.key, used.value->'revision') from (
            select * from jsonb_each(coalesce(e.snapshot #> '{library,scripts}', '{}'))
            union all select * from jsonb_each(coalesce(e.snapshot #> '{library,templates}', '{}'))
            union all select called.value->>'planId', called.value
              from jsonb_array_elements(coalesce(e.snapshot->'calledPlans', '[]')) called
          ) used) as library
        from (
          select r.id, r.plan_revision from executions r
            where r.tenant_id = $1 and r.plan_id = $2 and r.environment_id = $3 and r.started_at is not null
              and r.execution_mode <> 'dry_run' and r.plan_revision <= $4 and r.id <> $5
              and (select a.state from approvals a where a.execution_id = r.id order by a.round desc limit 1) = 'approved'
            order by r.started_at desc limit 1
        ) last join executions e on e.id = last.id`,
      [ref.tenantId, plan_id, environment_id, plan_revision, ref.executionId],
    );
    return row ? new Map([[plan_id, row.plan_revision], ...Object.entries(row.library ?? {})]) : null;
  }
}
