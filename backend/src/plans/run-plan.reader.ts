import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type ActiveFreeze, CollectionReader } from '../collections/collection-reader.js';
import type { Principal } from '../common/access/principal.js';
import { NAMED_PLACEHOLDERS } from '../environments/visible-environment.js';
import { entityColumns } from '../common/database/entity-columns.js';
import { prepared } from '../common/database/prepared.js';
import { planIsVisible } from './visible-plan.js';
import { notFound } from '../common/errors/problem.js';
import { isId } from '../common/ids.js';
import { revisionNumber } from '../common/revisions/revision-number.js';
import {
  type LaterRevision,
  type RevisionAuthor,
  type RevisionRange,
  revisionAuthors,
  findRevisionsSince,
  type UsedRecord,
} from '../common/revisions/revision-author.js';
import { Plan, PlanRevision, type RevisionOrigin } from './plan.entity.js';
import { type PlanContent, readPlanContent } from './steps/plan-content.js';

const CALLER = { role: '$3::text', user: '$4', limits: '$5' };

@Injectable()
export class RunPlanReader {
  constructor(private readonly collections: CollectionReader) {}

  /**
   * @param path JSON pointer of the ID, if it comes from a body
   * @throws Problem 404
   */
  async visible(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<Plan> {
    const [plan] = isId(id)
      ? await tx.query<Plan[]>(
          prepared(`select ${entityColumns(tx, Plan, 'plan')} from plans plan
            where plan.tenant_id = $1 and plan.id = $2 and ${planIsVisible('plan', CALLER)}`),
          [caller.tenantId, id, caller.role, caller.userId, caller.limits],
        )
      : [];
    if (!plan) throw notFound(path);
    return Object.assign(new Plan(), plan);
  }

  /**
   * Returns a plan with the content of its latest revision.
   * @param path JSON pointer of the ID, if it comes from a body
   * @throws Problem 404
   */
  async latest(
    tx: EntityManager,
    caller: Principal,
    id: string,
    path?: string,
  ): Promise<{ plan: Plan; content: PlanContent }> {
    const [row] = isId(id)
      ? await tx.query<(Plan & { content: object })[]>(
          prepared(`select ${entityColumns(tx, Plan, 'plan')}, latest.content from plans plan
            join plan_revisions latest on latest.tenant_id = plan.tenant_id and latest.plan_id = plan.id
              and latest.number = plan.revision
            where plan.tenant_id = $1 and plan.id = $2 and ${planIsVisible('plan', CALLER)}`),
          [caller.tenantId, id, caller.role, caller.userId, caller.limits],
        )
      : [];
    if (!row) throw notFound(path);
    const { content, ...plan } = row;
    return { plan: Object.assign(new Plan(), plan), content: readPlanContent(content) };
  }

  /** Returns IDs and names of visible plans by ID or name. Ignores the case of names. */
  async named(
    tx: EntityManager,
    caller: Principal,
    namesOrIds: readonly string[],
  ): Promise<{ id: string; name: string }[]> {
    if (namesOrIds.length === 0) return [];
    const plans = await tx
      .getRepository(Plan)
      .createQueryBuilder('plan')
      .where('plan.tenantId = :tenantId', caller)
      .andWhere('(lower(plan.name) = any(:names) or plan.id = any(:ids::uuid[]))', {
        names: namesOrIds.map((each) => each.toLowerCase()),
        ids: namesOrIds.filter(isId),
      })
      .andWhere(planIsVisible('plan', NAMED_PLACEHOLDERS))
      .getMany();
    return plans.map(({ id, name }) => ({ id, name }));
  }

  async content(tx: EntityManager, plan: Plan): Promise<PlanContent> {
    const revision = await tx
      .getRepository(PlanRevision)
      .findOneByOrFail({ tenantId: plan.tenantId, planId: plan.id, number: plan.revision });
    return readPlanContent(revision.content);
  }

  /**
   * @param number from the path or a field
   * @param path JSON pointer of the field
   * @throws Problem 404
   */
  async revision(tx: EntityManager, plan: Plan, number: string | number, path?: string): Promise<PlanRevision> {
    const requested = revisionNumber(number);
    const revision =
      requested === null
        ? null
        : await tx
            .getRepository(PlanRevision)
            .findOneBy({ tenantId: plan.tenantId, planId: plan.id, number: requested });
    if (!revision) throw notFound(path);
    return revision;
  }

  async keep(tx: EntityManager, { tenantId, id }: Plan): Promise<void> {
    await tx.query('select 1 from plans where tenant_id = $1 and id = $2 for key share', [tenantId, id]);
  }

  /**
   * Returns the first active freeze that blocks starts of one of these plans, in the order of the plans. Null = none,
   * or the plans were deleted.
   */
  async freeze(tx: EntityManager, tenantId: string, planIds: readonly string[]): Promise<ActiveFreeze | null> {
    const plans = await tx.query<{ id: string; place: string }[]>(
      prepared(`select id, collection_id as place from plans
        where tenant_id = $1 and id = any ($2) and collection_id is not null`),
      [tenantId, planIds],
    );
    const places = planIds.flatMap((id) => plans.find((plan) => plan.id === id)?.place ?? []);
    if (places.length === 0) return null;
    const freezes = await this.collections.freezes(tx, tenantId, places);
    return places.map((id) => freezes.get(id)).find((freeze) => freeze !== undefined) ?? null;
  }

  savedSince(tx: EntityManager, tenantId: string, used: readonly UsedRecord[], since: Date): Promise<LaterRevision[]> {
    return findRevisionsSince(tx, tenantId, { table: 'plan_revisions', record: 'plan_id' }, used, since);
  }

  async origins(tx: EntityManager, tenantId: string, used: readonly UsedRecord[]): Promise<RevisionOrigin[]> {
    if (used.length === 0) return [];
    const rows = await tx.query<{ origin: RevisionOrigin }[]>(
      `select distinct r.git_origin as origin from plan_revisions r
          join unnest($2::uuid[], $3::int[]) as used (id, number) on used.id = r.plan_id and used.number = r.number
        where r.tenant_id = $1 and r.git_origin is not null`,
      [tenantId, used.map(({ id }) => id), used.map(({ revision }) => revision)],
    );
    return rows.map(({ origin }) => origin);
  }

  /** Returns names by plan ID, even of plans that the caller cannot see. */
  async names(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await tx.query<{ id: string; name: string }[]>(
      'select id, name from plans where tenant_id = $1 and id = any ($2)',
      [tenantId, ids],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Returns the authors of these revisions; null = the plan was deleted. */
  authors(tx: EntityManager, tenantId: string, range: RevisionRange): Promise<RevisionAuthor[] | null> {
    return revisionAuthors(tx, tenantId, { table: 'plan_revisions', record: 'plan_id' }, range);
  }
}
