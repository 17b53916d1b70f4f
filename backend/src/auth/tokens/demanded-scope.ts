import type { EntityManager } from 'typeorm';
import type { TokenAccess } from '../../common/access/caller-limits.js';
import type { Principal } from '../../common/access/principal.js';
import { notFound } from '../../common/errors/problem.js';
import { isId } from '../../common/ids.js';
import type { ScopeRecords } from './scope-records.js';

/** A scope as it is stored with a token. */
export interface StoredScope {
  access: TokenAccess;
  environmentIds: string[] | null;
  planIds: string[] | null;
}

/** A scope as it was asked for. */
export type WantedScope = { access?: TokenAccess; environmentIds?: readonly string[]; planIds?: readonly string[] };

/**
 * The scope of a new token: what was asked for, never wider than that of the token that asks. Whatever the caller can't
 * see is not found, so that an id outside of the caller's own scope is none that a token could be widened by.
 * @param path JSON pointer of the lists
 * @throws Problem 404
 */
export async function demandedScope(
  tx: EntityManager,
  caller: Principal,
  records: ScopeRecords,
  { access, environmentIds, planIds }: WantedScope,
  path: string,
): Promise<StoredScope> {
  await demandSeen(environmentIds, (ids) => records.environments(tx, caller, ids), `${path}/environmentIds`);
  await demandSeen(planIds, (ids) => records.plans(tx, caller, ids), `${path}/planIds`);
  const own = caller.limits;
  return {
    access: access ?? own?.access ?? 'all',
    environmentIds: lowered(environmentIds ?? own?.environmentIds),
    planIds: lowered(planIds ?? own?.planIds),
  };
}

async function demandSeen(
  ids: readonly string[] | undefined,
  seenAmong: (ids: readonly string[]) => Promise<readonly string[]>,
  path: string,
): Promise<void> {
  if (!ids) return;
  const seen = new Set(await seenAmong(ids.filter(isId)));
  const missing = ids.findIndex((id) => !seen.has(id.toLowerCase()));
  if (missing >= 0) throw notFound(`${path}/${missing}`);
}

/** Ids as the database writes them: what narrows a token is compared as text. */
const lowered = (ids: readonly string[] | undefined): string[] | null => ids?.map((id) => id.toLowerCase()) ?? null;
