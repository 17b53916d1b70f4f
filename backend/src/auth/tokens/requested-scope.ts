import type { EntityManager } from 'typeorm';
import type { TokenAccess } from '../../common/access/caller-limits.js';
import type { Principal } from '../../common/access/principal.js';
import { invalidRequest, notFound } from '../../common/errors/problem.js';
import { isId } from '../../common/ids.js';
import type { ScopePlan, ScopeRecordFinders } from './scope-records.js';

/** Stored scope of a token. A scope with plans also has environments. */
export interface StoredScope {
  access: TokenAccess;
  environmentIds: string[] | null;
  planIds: string[] | null;
}

export type RequestedScope = { access?: TokenAccess; environmentIds?: readonly string[]; planIds?: readonly string[] };

/**
 * Scope of a new token: the requested one, never wider than that of the requesting token. Records that the caller can't
 * see are not found, so a token cannot be widened by ids outside of its own scope. Plans without `environmentIds` get
 * the environments to which they are bound now; binding a plan elsewhere later does not widen the token.
 * @param path JSON pointer of the lists
 * @param stored lists before a change: the same list again is not refused
 * @throws Problem 400 `environments_required`, `outside_environments`; 404
 */
export async function resolveRequestedScope(
  tx: EntityManager,
  caller: Principal,
  records: ScopeRecordFinders,
  requested: RequestedScope,
  path: string,
  stored?: Pick<StoredScope, 'environmentIds' | 'planIds'>,
): Promise<StoredScope> {
  const own = caller.limits;
  const [environmentIds, planIds] = [toLowerCaseIds(requested.environmentIds), toLowerCaseIds(requested.planIds)];
  const plans = planIds ? await records.plans(tx, caller, planIds.filter(isId)) : [];
  const newEnvironments = environmentIds !== null && environmentIds.join() !== stored?.environmentIds?.join();
  const newPlans = planIds !== null && planIds.join() !== stored?.planIds?.join();
  if (newEnvironments) {
    const seen = await records.environments(tx, caller, environmentIds.filter(isId));
    requireVisibleRecords(environmentIds, seen, `${path}/environmentIds`);
  }
  if (newPlans) {
    const seen = plans.map(({ id }) => id);
    requireVisibleRecords(planIds, seen, `${path}/planIds`);
  }
  if (planIds && environmentIds && (newEnvironments || newPlans))
    requireWithinScope(plans, planIds, environmentIds, path);
  const inherited = toLowerCaseIds(own?.environmentIds);
  return {
    access: requested.access ?? own?.access ?? 'all',
    environmentIds: environmentIds ?? (planIds ? inheritEnvironments(plans, inherited, path) : inherited),
    planIds: planIds ?? toLowerCaseIds(own?.planIds),
  };
}

/**
 * @param inherited environments of the requesting token; null: not limited to environments
 * @throws Problem 400 `environments_required`
 */
function inheritEnvironments(plans: readonly ScopePlan[], inherited: string[] | null, path: string): string[] {
  const planWithoutEnvironment = plans.find(({ environmentId }) => environmentId === null);
  if (!planWithoutEnvironment) return [...new Set(plans.flatMap(({ environmentId }) => environmentId ?? []))].sort();
  if (inherited) return inherited;
  throw invalidRequest([
    {
      path: `${path}/environmentIds`,
      code: 'environments_required',
      message: `Plan "${planWithoutEnvironment.name}" is bound to no environment. List the environments in which it may start in environmentIds.`,
    },
  ]);
}

/** A plan that is bound to an environment can be started nowhere else. @throws Problem 400 `outside_environments` */
function requireWithinScope(
  plans: readonly ScopePlan[],
  planIds: readonly string[],
  environmentIds: readonly string[],
  path: string,
): void {
  const planOutsideScope = plans.find(
    ({ environmentId }) => environmentId !== null && !environmentIds.includes(environmentId),
  );
  if (!planOutsideScope) return;
  throw invalidRequest([
    {
      path: `${path}/planIds/${planIds.indexOf(planOutsideScope.id)}`,
      code: 'outside_environments',
      message: `Plan "${planOutsideScope.name}" is bound to an environment that is not in environmentIds. Add that environment, or remove the plan.`,
    },
  ]);
}

function requireVisibleRecords(ids: readonly string[], seen: readonly string[], path: string): void {
  const missing = ids.findIndex((id) => !seen.includes(id));
  if (missing >= 0) throw notFound(`${path}/${missing}`);
}

/** Ids in the spelling of the database, because limits are compared as text. */
const toLowerCaseIds = (ids: readonly string[] | undefined): string[] | null =>
  ids?.map((id) => id.toLowerCase()) ?? null;
