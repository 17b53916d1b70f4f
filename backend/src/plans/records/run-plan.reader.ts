import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type ActiveFreeze, CollectionReader } from '../../collections/collection-reader.js';
import type { Principal } from '../../common/access/principal.js';
import { row, rows, sql, whereSql } from '../../common/database/sql.js';
import { isPlanVisibleSql } from './visible-plan.js';
import { notFound } from '../../common/errors/problem.js';
import { isId } from '../../common/ids.js';
import { parseRevisionNumber } from '../../revisions/revision-number.js';
import {
  type LaterRevision,
  type RevisionAuthor,
  type RevisionRange,
  revisionAuthors,
  findRevisionsSince,
  type UsedRevisionRef,
} from '../../revisions/revision-author.js';
import { Plan, PlanRevision, type RevisionOrigin } from './plan.entity.js';
import { type PlanContent, readPlanContent } from '../steps/plan-content.js';

/** Columns of `Plan`. */
const PLAN_COLUMNS = sql`plan.id, plan.tenant_id as "tenantId", plan.name, plan.description,
  plan.environment_id as "environmentId", plan.collection_id as "collectionId", plan.revision,
  plan.git_folder_id as "gitFolderId", plan.git_source_id as "gitSourceId", plan.git_path as "gitPath",
  plan.git_commit as "gitCommit", plan.created_at as "createdAt", plan.updated_at as "updatedAt", plan.version`;

const PLAN_REVISIONS = { table: sql`plan_revisions`, recordId: sql`plan_id` };

@Injectable()
export class RunPlanReader {
  constructor(private readonly collections: CollectionReader) {}

  /**
   * @param path JSON pointer of the ID, if it comes from a body
   * @throws Problem 404
   */
  async findVisiblePlan(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<Plan> {
    if (!isId(id)) throw notFound(path);
    const plan = await row(
      tx,
      sql.prepared<Plan>`select ${PLAN_COLUMNS} from plans plan
        where plan.tenant_id = ${caller.tenantId} and plan.id = ${id} and ${isPlanVisibleSql(sql.raw('plan'), caller)}`,
    );
    if (!plan) throw notFound(path);
    return Object.assign(new Plan(), plan);
  }

  /**
   * Returns a plan with the content of its latest revision.
   * @param path JSON pointer of the ID, if it comes from a body
   * @throws Problem 404
   */
  async readLatest(
    tx: EntityManager,
    caller: Principal,
    id: string,
    path?: string,
  ): Promise<{ plan: Plan; content: PlanContent }> {
    if (!isId(id)) throw notFound(path);
    const found = await row(
      tx,
      sql.prepared<Plan & { content: object }>`select ${PLAN_COLUMNS}, latest.content from plans plan
        join plan_revisions latest on latest.tenant_id = plan.tenant_id and latest.plan_id = plan.id
          and latest.number = plan.revision
        where plan.tenant_id = ${caller.tenantId} and plan.id = ${id} and ${isPlanVisibleSql(sql.raw('plan'), caller)}`,
    );
    if (!found) throw notFound(path);
    const { content, ...plan } = found;
    return { plan: Object.assign(new Plan(), plan), content: readPlanContent(content) };
  }

  /** Returns IDs and names of visible plans by ID or name. Ignores the case of names. */
  async named(
    tx: EntityManager,
    caller: Principal,
    namesOrIds: readonly string[],
  ): Promise<{ id: string; name: string }[]> {
    if (namesOrIds.length === 0) return [];
    const select = tx
      .getRepository(Plan)
      .createQueryBuilder('plan')
      .where('plan.tenantId = :tenantId', { tenantId: caller.tenantId })
      .andWhere('(lower(plan.name) = any(:names) or plan.id = any(:ids::uuid[]))', {
        names: namesOrIds.map((each) => each.toLowerCase()),
        ids: namesOrIds.filter(isId),
      });
    const plans = await whereSql(select, isPlanVisibleSql(sql.raw('plan'), caller)).getMany();
    return plans.map(({ id, name }) => ({ id, name }));
  }

  async readContent(tx: EntityManager, plan: Plan): Promise<PlanContent> {
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
  async readRevision(tx: EntityManager, plan: Plan, number: string | number, path?: string): Promise<PlanRevision> {
    const requested = parseRevisionNumber(number);
    const revision =
      requested === null
        ? null
        : await tx
            .getRepository(PlanRevision)
            .findOneBy({ tenantId: plan.tenantId, planId: plan.id, number: requested });
    if (!revision) throw notFound(path);
    return revision;
  }

  async lockAgainstDeletion(tx: EntityManager, { tenantId, id }: Plan): Promise<void> {
    await row(tx, sql`select 1 from plans where tenant_id = ${tenantId} and id = ${id} for key share`);
  }

  /**
   * Returns the first active freeze that blocks starts of one of these plans, in the order of the plans. Null = none,
   * or the plans were deleted.
   */
  async freeze(tx: EntityManager, tenantId: string, planIds: readonly string[]): Promise<ActiveFreeze | null> {
    const plans = await rows(
      tx,
      sql.prepared<{ id: string; place: string | null }>`select id, collection_id as place from plans
        where tenant_id = ${tenantId} and id = any (${planIds}) and collection_id is not null`,
    );
    const places = planIds.flatMap((id) => plans.find((plan) => plan.id === id)?.place ?? []);
    if (places.length === 0) return null;
    const freezes = await this.collections.findActiveFreezes(tx, tenantId, places);
    return places.map((id) => freezes.get(id)).find((freeze) => freeze !== undefined) ?? null;
  }

  findRevisionsSavedSince(
    tx: EntityManager,
    tenantId: string,
    used: readonly UsedRevisionRef[],
    since: Date,
  ): Promise<LaterRevision[]> {
    return findRevisionsSince(tx, tenantId, PLAN_REVISIONS, used, since);
  }

  async readRevisionOrigins(
    tx: EntityManager,
    tenantId: string,
    used: readonly UsedRevisionRef[],
  ): Promise<RevisionOrigin[]> {
    if (used.length === 0) return [];
    const ids = used.map(({ id }) => id);
    const numbers = used.map(({ revision }) => revision);
    const origins = await rows(
      tx,
      sql<{ origin: RevisionOrigin | null }>`select distinct r.git_origin as origin from plan_revisions r
          join unnest(${ids}::uuid[], ${numbers}::int[]) as used (id, number)
            on used.id = r.plan_id and used.number = r.number
        where r.tenant_id = ${tenantId} and r.git_origin is not null`,
    );
    return origins.flatMap(({ origin }) => origin ?? []);
  }

  /** Returns names by plan ID, even of plans that the caller cannot see. */
  async names(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const plans = await rows(
      tx,
      sql<{ id: string; name: string }>`select id, name from plans where tenant_id = ${tenantId} and id = any (${ids})`,
    );
    return new Map(plans.map(({ id, name }) => [id, name]));
  }

  /** Returns the authors of these revisions; null = the plan was deleted. */
  authors(tx: EntityManager, tenantId: string, range: RevisionRange): Promise<RevisionAuthor[] | null> {
    return revisionAuthors(tx, tenantId, PLAN_REVISIONS, range);
  }
}
