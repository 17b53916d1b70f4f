import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../audit/audit-actions.js';
import { type AuditActor, AuditTrail } from '../audit/audit-trail.js';
import { type ActiveFreeze, CollectionReader } from '../collections/collection-reader.js';
import { COLLECTION_USE, type CollectionUsage } from '../collections/collection-use.js';
import { isLimitedToEnvironments } from '../common/access/caller-limits.js';
import type { Principal } from '../common/access/principal.js';
import { affected, row, sql, whereSql } from '../common/database/sql.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict, invalidRequest, versionMismatchProblem } from '../common/errors/problem.js';
import type { ProblemItem } from '../common/errors/problem-item.js';
import { requireVersion } from '../common/http/etag.js';
import { toLikePattern, type Page } from '../common/http/paging/page.js';
import type { ListRevisionsQuery } from '../common/http/paging/page.dto.js';
import { NAMED_RECORD_COLUMNS, readPage } from '../common/http/paging/sorted-page.js';
import { newId } from '../common/ids.js';
import { toStoredMessage } from '../revisions/revision-message.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { readMemberNames } from '../tenancy/directory/member.reader.js';
import { CalledPlans } from './called-plans.js';
import { requireNoCallers, requireNoSchedules } from './plan-callers.js';
import { Plan, PlanRevision, type RevisionOrigin } from './records/plan.entity.js';
import { checkPlanContentInTurns } from './checks/check-plan-content.js';
import { EMPTY_PLAN, type PlanContent } from './steps/plan-content.js';
import { PlanLibrary } from './plan-library.js';
import { findForeignFieldProblems, toWrittenStep } from './steps/step-of-request.js';
import type { CreatePlanRequest, ListPlansQuery, PlanVariableRequest, UpdatePlanRequest } from './plans.dto.js';
import {
  type PlanRevisionView,
  type PlanSummaryView,
  type PlanView,
  toPlanRecordView,
  toPlanRevisionView,
  toPlanSummaryView,
} from './plans.view.js';
import { PLAN_USE, type PlanUsage } from './records/plan-use.js';
import { PlanWarnings } from './plan-warnings.js';
import { RunPlanReader } from './records/run-plan.reader.js';
import { isPlanVisibleSql } from './records/visible-plan.js';

const MAX_REFERRERS = 20;

/** Save by a sync of a git source, with the rights of the caller and the author of the commit. */
export interface SyncRevision extends RevisionOrigin {
  folderId: string;
  actor: AuditActor;
  /** Member with the e-mail address of the commit; null = none. */
  authorId: string | null;
}

export interface SavedText {
  /** YAML text of the plan; null = saved by fields. */
  text: string | null;
  /** Undefined = saved by the caller. */
  sync?: SyncRevision;
}

@Injectable()
export class PlansService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly reader: RunPlanReader,
    private readonly environments: EnvironmentReader,
    private readonly library: PlanLibrary,
    private readonly calls: CalledPlans,
    private readonly collections: CollectionReader,
    private readonly warnings: PlanWarnings,
    @Inject(PLAN_USE) private readonly use: PlanUsage,
    @Inject(COLLECTION_USE) private readonly collectionUse: CollectionUsage,
  ) {}

  list(caller: Principal, query: ListPlansQuery): Promise<Page<PlanSummaryView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      const ofTenant = tx
        .getRepository(Plan)
        .createQueryBuilder('plan')
        .where('plan.tenantId = :tenantId', { tenantId: caller.tenantId });
      const select = whereSql(ofTenant, isPlanVisibleSql(sql.raw('plan'), caller));
      if (query.name !== undefined) select.andWhere('lower(plan.name) = lower(:exactName)', { exactName: query.name });
      if (query.q) select.andWhere('plan.name ilike :name', { name: toLikePattern(query.q) });
      if (query.environmentId !== undefined) select.andWhere('plan.environmentId = :environmentId', query);
      if (query.collectionId !== undefined) {
        const within = await this.collections.listSubtreeIds(tx, caller.tenantId, query.collectionId);
        select.andWhere('plan.collectionId = any(:within)', { within });
      }
      if (query.uncollected !== undefined)
        select.andWhere(`plan.collectionId is ${query.uncollected ? 'null' : 'not null'}`);
      const page = await readPage(select, query, (plan) => plan, NAMED_RECORD_COLUMNS);
      const collectionIds = page.items.flatMap(({ collectionId }) => collectionId ?? []);
      const freezes = await this.collections.findActiveFreezes(tx, caller.tenantId, collectionIds);
      const items = page.items.map((plan) => toPlanSummaryView(plan, freezes.get(plan.collectionId ?? '') ?? null));
      return { ...page, items };
    });
  }

  async get(caller: Principal, id: string): Promise<PlanView> {
    return this.addWarnings(caller, await this.units.run(caller.tenantId, (tx) => this.readPlanView(tx, caller, id)));
  }

  async create(caller: Principal, request: CreatePlanRequest): Promise<PlanView> {
    const content = await createValidContent(request, EMPTY_PLAN);
    const made = await this.units.run(caller.tenantId, (tx) =>
      this.createIn(tx, caller, request, { content, text: null }),
    );
    return this.addWarnings(caller, made);
  }

  /** Like `create`, in the caller's transaction. */
  async createIn(
    tx: EntityManager,
    caller: Principal,
    request: CreatePlanRequest,
    { content, text, sync }: { content: PlanContent } & SavedText,
  ): Promise<PlanView> {
    const id = newId();
    requirePlanInScope(caller, request.environmentId ?? null);
    if (request.environmentId !== undefined)
      await this.environments.findVisibleEnvironment(tx, caller, request.environmentId, '/environmentId');
    if (request.collectionId !== undefined)
      await this.collections.findCollection(tx, caller.tenantId, request.collectionId, '/collectionId');
    await this.library.requireKnownContents(tx, caller, content.steps);
    await this.calls.requireSoundCalls(tx, caller, { id, name: request.name }, content);
    await tx.getRepository(Plan).insert({
      id,
      tenantId: caller.tenantId,
      name: request.name,
      description: request.description ?? '',
      environmentId: request.environmentId ?? null,
      collectionId: request.collectionId ?? null,
      revision: 1,
      ...(sync ? toOriginColumns(sync) : {}),
    });
    const message = toStoredMessage(request.message);
    await this.addRevision(tx, caller, { planId: id, number: 1, content, text, message, sync });
    const after = await this.readPlanView(tx, caller, id);
    await this.recordAudit(tx, caller, sync, { action: 'plan.create', after });
    return after;
  }

  /**
   * Every save creates a new revision, except a move to another collection. Runs that have started keep the revision of
   * their snapshot.
   */
  async update(caller: Principal, id: string, request: UpdatePlanRequest, version: number | null): Promise<PlanView> {
    const saved = await this.units.run(caller.tenantId, (tx) =>
      this.updateIn(tx, caller, id, { request, version, text: null }),
    );
    return this.addWarnings(caller, saved);
  }

  /** Adds all warnings to the plan. Must not be called in a transaction. */
  async addWarnings(caller: Principal, plan: PlanView): Promise<PlanView> {
    return { ...plan, warnings: await this.warnings.findAllWarnings(caller, plan.steps) };
  }

  /**
   * Like `update`, in the caller's transaction.
   * @param action for the audit trail
   * @throws Problem 409 `managed_by_git`
   */
  async updateIn(
    tx: EntityManager,
    caller: Principal,
    id: string,
    {
      request,
      version,
      text,
      sync,
      action = 'plan.update',
    }: { request: UpdatePlanRequest; version: number | null; action?: AuditActionName } & SavedText,
  ): Promise<PlanView> {
    const plan = await this.reader.findVisiblePlan(tx, caller, id);
    if (typeof request.environmentId === 'string')
      await this.environments.findVisibleEnvironment(tx, caller, request.environmentId, '/environmentId');
    requirePlanInScope(caller, plan.environmentId);
    requirePlanInScope(caller, request.environmentId === undefined ? plan.environmentId : request.environmentId);
    requireVersion(plan, version);
    if (!sync) await this.library.requireNotFromGit(tx, plan);
    const moves = await this.requireValidPlace(tx, caller, plan, request);
    // A move changes nothing that runs. The member who moves a plan does not become an author, and may still approve
    // its runs.
    const changesOnlyCollection =
      getChangedFields(request).every((field) => field === 'collectionId') && request.collectionId !== undefined;
    const previous = await this.reader.readContent(tx, plan);
    const content = await createValidContent(request, previous);
    await this.library.requireKnownContents(tx, caller, content.steps);
    await this.calls.requireSoundCalls(tx, caller, { id: plan.id, name: request.name ?? plan.name }, content);
    const before = toPlanRecordView(plan, previous, await this.findFreeze(tx, plan));
    const environmentId = request.environmentId === undefined ? plan.environmentId : request.environmentId;
    const changed = await row(
      tx,
      sql<{ revision: number }>`update plans set name = ${request.name ?? plan.name},
          description = ${request.description ?? plan.description}, environment_id = ${environmentId},
          collection_id = ${moves ? request.collectionId : plan.collectionId},
          revision = revision + ${changesOnlyCollection ? 0 : 1}, updated_at = now(), version = version + 1
        where tenant_id = ${caller.tenantId} and id = ${id} and version = ${plan.version} returning revision`,
    );
    const revision = changed?.revision;
    if (revision === undefined && version !== null) throw versionMismatchProblem();
    if (revision === undefined)
      throw conflict(
        'changed_meanwhile',
        'Another member saved this plan at the same moment. Read it again and repeat your change.',
      );
    const message = toStoredMessage(request.message);
    if (!changesOnlyCollection)
      await this.addRevision(tx, caller, { planId: id, number: revision, content, text, message, sync });
    if (sync) await updateOrigin(tx, plan, sync);
    if (moves) await this.collectionUse.wakeWaitingRuns(tx, caller.tenantId);
    const after = await this.readPlanView(tx, caller, id);
    await this.recordAudit(tx, caller, sync, { action, before, after });
    return after;
  }

  delete(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, (tx) => this.deleteIn(tx, caller, id, { version }));
  }

  /** Like `delete`, in the caller's transaction. @throws Problem 404; 409 `in_use`, `managed_by_git`; 412 */
  async deleteIn(
    tx: EntityManager,
    caller: Principal,
    id: string,
    { version, sync }: { version: number | null; sync?: SyncRevision },
  ): Promise<void> {
    const plan = await this.reader.findVisiblePlan(tx, caller, id);
    requirePlanInScope(caller, plan.environmentId);
    requireVersion(plan, version);
    if (!sync) await this.library.requireNotFromGit(tx, plan);
    // Waits for concurrent saves of plans that call this plan, so that they are found.
    await row(tx, sql`select 1 from plans where tenant_id = ${caller.tenantId} and id = ${id} for update`);
    await requireNoCallers(tx, caller, plan);
    if (await this.use.hasOpenRun(tx, caller.tenantId, id))
      throw conflict('in_use', `A run of "${plan.name}" has not finished. Wait for it or cancel it first.`);
    requireNoSchedules(plan, await this.use.listSchedulesOfPlan(tx, caller, id, MAX_REFERRERS));
    const before = await this.readPlanView(tx, caller, id);
    await tx.getRepository(Plan).delete({ tenantId: caller.tenantId, id });
    await this.recordAudit(tx, caller, sync, { action: 'plan.delete', before });
  }

  revisions(caller: Principal, id: string, query: ListRevisionsQuery): Promise<Page<PlanRevisionView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      const plan = await this.reader.findVisiblePlan(tx, caller, id);
      const select = tx
        .getRepository(PlanRevision)
        .createQueryBuilder('revision')
        .where('revision.tenantId = :tenantId and revision.planId = :planId', {
          tenantId: plan.tenantId,
          planId: plan.id,
        });
      const { items, nextCursor } = await readPage(select, query, (revision) => revision);
      const authors = await readAuthorNames(tx, items);
      return { items: items.map((revision) => toPlanRevisionView(revision, authors)), nextCursor };
    });
  }

  revision(caller: Principal, id: string, number: string): Promise<PlanRevisionView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const plan = await this.reader.findVisiblePlan(tx, caller, id);
      const revision = await this.reader.readRevision(tx, plan, number);
      return toPlanRevisionView(revision, await readAuthorNames(tx, [revision]));
    });
  }

  private async readPlanView(tx: EntityManager, caller: Principal, id: string): Promise<PlanView> {
    const plan = await this.reader.findVisiblePlan(tx, caller, id);
    const record = toPlanRecordView(plan, await this.reader.readContent(tx, plan), await this.findFreeze(tx, plan));
    return { ...record, warnings: await this.warnings.getLibraryWarnings(tx, caller.tenantId, record.steps) };
  }

  private async findFreeze(tx: EntityManager, { tenantId, collectionId }: Plan): Promise<ActiveFreeze | null> {
    if (collectionId === null) return null;
    return (await this.collections.findActiveFreezes(tx, tenantId, [collectionId])).get(collectionId) ?? null;
  }

  /**
   * Returns whether the request moves the plan. @throws Problem 404; 409 `collection_frozen` if the move would end a
   * freeze
   */
  private async requireValidPlace(
    tx: EntityManager,
    caller: Principal,
    plan: Plan,
    { collectionId }: UpdatePlanRequest,
  ): Promise<boolean> {
    if (collectionId === undefined || collectionId === plan.collectionId) return false;
    if (collectionId !== null)
      await this.collections.findCollection(tx, caller.tenantId, collectionId, '/collectionId');
    await this.collections.requireMovableTo(tx, caller, plan.collectionId);
    return true;
  }

  private async addRevision(
    tx: EntityManager,
    caller: Principal,
    {
      text,
      sync,
      ...revision
    }: { planId: string; number: number; content: PlanContent; message: string | null } & SavedText,
  ): Promise<void> {
    const { tenantId, userId } = caller;
    const createdBy = sync ? sync.authorId : userId;
    await tx.getRepository(PlanRevision).insert({
      ...{ id: newId(), tenantId, ...revision, sourceText: text, createdBy },
      gitOrigin: sync ? toRevisionOrigin(sync) : null,
    });
  }

  /**
   * The audit entry names the sync instead of the commit's author, who is not authenticated. The author is stored with
   * the plan.
   */
  private async recordAudit(
    tx: EntityManager,
    caller: Principal,
    sync: SyncRevision | undefined,
    { action, before, after }: { action: AuditActionName; before?: RecordedPlan; after?: RecordedPlan },
  ): Promise<void> {
    const fact = { action, before: removeWarnings(before) };
    const changed = removeWarnings(after);
    if (!sync) return this.audit.recordChange(tx, caller, { ...fact, after: changed });
    const said = changed && { ...changed, savedFrom: toRevisionOrigin(sync), commitAuthorId: sync.authorId };
    return this.audit.recordChange(tx, sync.actor, { ...fact, after: said });
  }
}

type RecordedPlan = Omit<PlanView, 'warnings'> & Partial<Pick<PlanView, 'warnings'>>;

/** Warnings depend on scripts, which change independently of the plan. */
function removeWarnings(plan: RecordedPlan | undefined): Omit<PlanView, 'warnings'> | undefined {
  if (!plan) return undefined;
  const { warnings: _, ...recorded } = plan;
  return recorded;
}

export const updateOrigin = (
  tx: EntityManager,
  { tenantId, id }: Pick<Plan, 'tenantId' | 'id'>,
  { folderId, gitSourceId, path, commit }: SyncRevision,
): Promise<unknown> =>
  affected(
    tx,
    sql`update plans set git_folder_id = ${folderId}, git_source_id = ${gitSourceId}, git_path = ${path},
        git_commit = ${commit}
      where tenant_id = ${tenantId} and id = ${id}`,
  );

const toOriginColumns = ({ folderId, gitSourceId, path, commit }: SyncRevision) => ({
  gitFolderId: folderId,
  gitSourceId,
  gitPath: path,
  gitCommit: commit,
});

const toRevisionOrigin = ({ gitSourceId, sourceName, path, commit }: SyncRevision): RevisionOrigin => ({
  gitSourceId,
  sourceName,
  path,
  commit,
});

/**
 * A token that is limited to environments must not change a plan that can run in any environment.
 * @throws Problem 409 `outside_scope`
 */
function requirePlanInScope({ limits }: Principal, environmentId: string | null): void {
  if (environmentId !== null || !isLimitedToEnvironments(limits)) return;
  throw conflict(
    'outside_scope',
    'A plan without an environment can run anywhere, but this token is limited to some environments. Bind the plan to one of them, or use a token without limits.',
  );
}

const getChangedFields = ({ message: _, ...request }: UpdatePlanRequest): string[] =>
  Object.entries(request).flatMap(([field, value]) => (value === undefined ? [] : [field]));

const readAuthorNames = (tx: EntityManager, revisions: readonly PlanRevision[]): Promise<Map<string, string>> =>
  readMemberNames(
    tx,
    revisions[0]?.tenantId,
    revisions.flatMap(({ createdBy }) => createdBy ?? []),
  );

/** Returns the previous content with the changes of the request. @throws Problem 400 */
async function createValidContent(
  request: CreatePlanRequest | UpdatePlanRequest,
  previous: PlanContent,
): Promise<PlanContent> {
  const content = toRequestedContent(request, previous);
  const problems = await findContentProblems(request, content);
  if (problems.length > 0) throw invalidRequest(problems, 'The plan was not saved.');
  return content;
}

export const findContentProblems = (
  { steps = [] }: CreatePlanRequest | UpdatePlanRequest,
  content: PlanContent,
): Promise<ProblemItem[]> => checkPlanContentInTurns(content, findForeignFieldProblems(steps));

export const toRequestedContent = (
  request: CreatePlanRequest | UpdatePlanRequest,
  previous: PlanContent,
): PlanContent => ({
  targets: request.targets ?? previous.targets,
  variables: request.variables?.map(toVariableDefinition) ?? previous.variables,
  steps: request.steps?.map(toWrittenStep) ?? previous.steps,
  timeoutSeconds: request.timeoutSeconds === undefined ? previous.timeoutSeconds : request.timeoutSeconds,
  maxFailPercent: request.maxFailPercent ?? previous.maxFailPercent,
  onFailure: request.onFailure ?? previous.onFailure,
  strategy: request.strategy ?? previous.strategy,
  parallelSafe: request.parallelSafe ?? previous.parallelSafe,
  locks: request.locks ?? previous.locks,
  allowedModes: request.allowedModes ?? previous.allowedModes,
});

const toVariableDefinition = (variable: PlanVariableRequest): PlanContent['variables'][number] => ({ ...variable });
