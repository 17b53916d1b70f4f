import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { getViolatedConstraint } from '../../common/database/database-problem.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, invalidRequest, notFound } from '../../common/errors/problem.js';
import type { ProblemItem } from '../../common/errors/problem-item.js';
import { requireVersion } from '../../common/http/etag.js';
import { toLikePattern, type Page } from '../../common/http/paging/page.js';
import { NAMED_RECORD_COLUMNS, readPage } from '../../common/http/paging/sorted-page.js';
import { isId, newId } from '../../common/ids.js';
import { findMember, findMembers } from '../../tenancy/directory/member.reader.js';
import { resolveRequestedScope } from '../tokens/requested-scope.js';
import { SCOPE_RECORDS, type ScopeRecordFinders } from '../tokens/scope-records.js';
import { revokeTokensOfTrustRule } from '../tokens/token-lineage.js';
import { findIssuerFault } from './issuer-url.js';
import { addIssuerToDirectory, lockTrustRules } from './rule-directory.js';
import { type EndedRunsView, UNBEGUN_RUNS, type UnbegunRuns } from '../../tenancy/unbegun-runs.js';
import { isBounded, MAX_WILDCARDS } from './subject-pattern.js';
import { TrustRule } from './trust-rule.entity.js';
import {
  type CreateTrustRuleRequest,
  type ListTrustRulesQuery,
  MAX_LIFETIME_SECONDS,
  type UpdateTrustRuleRequest,
} from './trust-rules.dto.js';
import { toTrustRuleView, type TrustRuleView } from './trust-rules.view.js';

/** Maximum number of rules per tenant: each token is matched against all rules of its issuer. */
const MAX_RULES = 200;

type TrustRuleFields = Omit<TrustRule, 'id' | 'tenantId' | 'lastUsedAt' | 'createdAt' | 'updatedAt' | 'version'>;

@Injectable()
export class TrustRulesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    @Inject(SCOPE_RECORDS) private readonly records: ScopeRecordFinders,
    @Inject(UNBEGUN_RUNS) private readonly unbegunRuns: UnbegunRuns,
  ) {}

  list(caller: Principal, query: ListTrustRulesQuery): Promise<Page<TrustRuleView>> {
    const { tenantId } = caller;
    return this.units.run(tenantId, async (tx) => {
      const select = tx.getRepository(TrustRule).createQueryBuilder('rule').where('rule.tenantId = :tenantId', {
        tenantId,
      });
      if (query.q) select.andWhere('rule.name ilike :part', { part: toLikePattern(query.q) });
      if (query.userId !== undefined) select.andWhere('rule.userId = :userId', query);
      const page = await readPage(select, query, (rule) => rule, { name: NAMED_RECORD_COLUMNS.name });
      const users = await findMembers(
        tx,
        tenantId,
        page.items.map(({ userId }) => userId),
      );
      const ids = page.items.map(({ id }) => id);
      const runs = await this.unbegunRuns(tx, tenantId, 'trustRule', ids);
      const items = page.items.flatMap((rule) => {
        const user = users.get(rule.userId);
        return user ? [{ ...toTrustRuleView(rule, user), waitingRuns: runs.get(rule.id) ?? 0 }] : [];
      });
      return { ...page, items };
    });
  }

  get(caller: Principal, id: string): Promise<TrustRuleView> {
    return this.units.run(caller.tenantId, async (tx) => {
      return this.addWaitingRuns(tx, caller, await readTrustRuleView(tx, await findTrustRule(tx, caller, id)));
    });
  }

  create(caller: Principal, request: CreateTrustRuleRequest): Promise<TrustRuleView> {
    const { tenantId } = caller;
    return this.withUniqueName(request.name, () =>
      this.units.run(tenantId, async (tx) => {
        await lockTrustRules(tx, tenantId);
        const rules = tx.getRepository(TrustRule);
        if ((await rules.countBy({ tenantId })) >= MAX_RULES)
          throw conflict('too_many_trust_rules', `A tenant has at most ${MAX_RULES} trust rules. Delete some first.`);
        const defaults = { access: 'run' as const, tokenLifetimeSeconds: MAX_LIFETIME_SECONDS, enabled: true };
        const fields = await this.validateTrustRule(tx, caller, { ...defaults, ...omitUndefinedFields(request) });
        const id = newId();
        await rules.insert({ id, tenantId, ...fields });
        await addIssuerToDirectory(tx, tenantId, fields.issuer);
        const after = await readTrustRuleView(tx, await findTrustRule(tx, caller, id));
        await this.audit.recordChange(tx, caller, {
          action: 'oidc_trust_rule.create',
          after,
        });
        return after;
      }),
    );
  }

  /** Also ends the tokens that the rule has issued, unless only its name changes. @throws Problem 404; 412 */
  update(
    caller: Principal,
    id: string,
    request: UpdateTrustRuleRequest,
    version: number | null,
  ): Promise<TrustRuleView> {
    const { tenantId } = caller;
    return this.withUniqueName(request.name ?? '', () =>
      this.units.run(tenantId, async (tx) => {
        await lockTrustRules(tx, tenantId);
        const rule = await findTrustRule(tx, caller, id);
        requireVersion(rule, version);
        const before = await readTrustRuleView(tx, rule);
        const { name, issuer, audience, subject, claims, userId, access, environmentIds, planIds } = rule;
        const { tokenLifetimeSeconds, enabled } = rule;
        const own = { name, issuer, audience, subject, claims, userId, access, environmentIds, planIds };
        const fields = await this.validateTrustRule(
          tx,
          caller,
          { ...own, tokenLifetimeSeconds, enabled, ...omitUndefinedFields(request) },
          own,
        );
        await tx
          .getRepository(TrustRule)
          .update({ tenantId, id }, { ...fields, updatedAt: () => 'now()', version: () => 'version + 1' });
        for (const each of new Set([issuer, fields.issuer])) await addIssuerToDirectory(tx, tenantId, each);
        if (Object.keys(omitUndefinedFields(request)).some((field) => field !== 'name'))
          await this.revokeTokensOfRule(tx, caller, rule);
        const after = await readTrustRuleView(tx, await findTrustRule(tx, caller, id));
        await this.audit.recordChange(tx, caller, { action: 'oidc_trust_rule.update', before, after });
        return this.addWaitingRuns(tx, caller, after);
      }),
    );
  }

  /** Also ends the tokens that the rule has issued. @throws Problem 404; 412 */
  remove(caller: Principal, id: string, version: number | null): Promise<EndedRunsView> {
    const { tenantId } = caller;
    return this.units.run(tenantId, async (tx) => {
      await lockTrustRules(tx, tenantId);
      const rule = await findTrustRule(tx, caller, id);
      requireVersion(rule, version);
      const before = await readTrustRuleView(tx, rule);
      const endedRuns = await this.revokeTokensOfRule(tx, caller, rule);
      await tx.getRepository(TrustRule).delete({ tenantId, id });
      await addIssuerToDirectory(tx, tenantId, rule.issuer);
      await this.audit.recordChange(tx, caller, {
        action: 'oidc_trust_rule.delete',
        before,
      });
      return { endedRuns };
    });
  }

  private async addWaitingRuns(
    tx: EntityManager,
    { tenantId }: Principal,
    rule: TrustRuleView,
  ): Promise<TrustRuleView> {
    const runs = await this.unbegunRuns(tx, tenantId, 'trustRule', [rule.id]);
    return { ...rule, waitingRuns: runs.get(rule.id) ?? 0 };
  }

  /** Revokes all tokens of the rule. @returns number of runs that have not begun and end with these tokens */
  private async revokeTokensOfRule(tx: EntityManager, caller: Principal, rule: TrustRule): Promise<number> {
    const ended = await revokeTokensOfTrustRule(tx, caller.tenantId, rule.id);
    const runs = await this.unbegunRuns(tx, caller.tenantId, 'trustRule', ended === 0 ? [] : [rule.id]);
    const endedRuns = runs.get(rule.id) ?? 0;
    if (ended === 0) return endedRuns;
    await this.audit.record(tx, caller, {
      action: 'oidc_trust_rule.end_tokens',
      resourceId: rule.id,
      resourceName: rule.name,
      after: { ended, endedRuns },
    });
    return endedRuns;
  }

  /** @param before stored scope of the rule; the caller need not be able to see its records */
  private async validateTrustRule(
    tx: EntityManager,
    caller: Principal,
    requested: Partial<TrustRuleFields> &
      Pick<TrustRuleFields, 'name' | 'issuer' | 'audience' | 'subject' | 'userId' | 'access'>,
    before?: Pick<TrustRuleFields, 'environmentIds' | 'planIds'>,
  ): Promise<TrustRuleFields> {
    const faults = findTrustRuleFaults(requested);
    if (faults.length > 0) throw invalidRequest(faults);
    if (!(await findMember(tx, caller.tenantId, requested.userId))) throw notFound('/userId');
    const scope = { environmentIds: requested.environmentIds ?? undefined, planIds: requested.planIds ?? undefined };
    const { environmentIds, planIds } = await resolveRequestedScope(tx, caller, this.records, scope, '', before);
    return {
      ...requested,
      userId: requested.userId.toLowerCase(),
      ...{ environmentIds, planIds },
      claims: requested.claims ?? {},
      tokenLifetimeSeconds: requested.tokenLifetimeSeconds ?? MAX_LIFETIME_SECONDS,
      enabled: requested.enabled ?? true,
    };
  }

  private async withUniqueName<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (getViolatedConstraint(error, 'unique') !== 'oidc_trust_rules_name') throw error;
      throw conflict('duplicate_name', `A trust rule named "${name}" already exists.`);
    }
  }
}

const omitUndefinedFields = <T extends object>(request: T): T =>
  Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as T;

function findTrustRuleFaults({ issuer, subject }: Pick<TrustRuleFields, 'issuer' | 'subject'>): ProblemItem[] {
  const faults: ProblemItem[] = [];
  const fault = findIssuerFault(issuer);
  if (fault) faults.push({ path: '/issuer', code: 'invalid_issuer', message: `${fault}.` });
  if (subject.split('*').length > MAX_WILDCARDS + 1)
    faults.push({
      path: '/subject',
      code: 'subject_too_wide',
      message: `subject can contain at most ${MAX_WILDCARDS} "*".`,
    });
  else if (!isBounded(subject))
    faults.push({
      path: '/subject',
      code: 'subject_too_wide',
      message:
        'subject must identify whom it trusts before its first "*": two parts that end with ":" or "/", such as repo:acme/* or project_path:acme/*.',
    });
  return faults;
}

async function readTrustRuleView(tx: EntityManager, rule: TrustRule): Promise<TrustRuleView> {
  const user = await findMember(tx, rule.tenantId, rule.userId);
  if (!user) throw notFound();
  return toTrustRuleView(rule, user);
}

async function findTrustRule(tx: EntityManager, { tenantId }: Principal, id: string): Promise<TrustRule> {
  const rule = isId(id) ? await tx.getRepository(TrustRule).findOneBy({ tenantId, id }) : null;
  if (!rule) throw notFound();
  return rule;
}
