import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';

export interface ScopePlan {
  id: string;
  name: string;
  /** Environment to which the record is bound; null: none. */
  environmentId: string | null;
}

type FindVisibleRecords<T> = (tx: EntityManager, caller: Principal, ids: readonly string[]) => Promise<readonly T[]>;

export interface ScopeRecordFinders {
  environments: FindVisibleRecords<string>;
  plans: FindVisibleRecords<ScopePlan>;
}

/** Injection token; the modules `environments` and `plans` provide it. */
export const SCOPE_RECORDS = Symbol('scope-records');
