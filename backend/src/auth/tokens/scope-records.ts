import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';

/** A plan in a scope. */
export interface ScopePlan {
  id: string;
  name: string;
  /** Environment that it is bound to; null: none. */
  environmentId: string | null;
}

/** Returns those of the records that the caller can see. */
type SeenAmong<T> = (tx: EntityManager, caller: Principal, ids: readonly string[]) => Promise<readonly T[]>;

/** Records that tokens can be limited to. */
export interface ScopeRecords {
  /** Ids of environments. */
  environments: SeenAmong<string>;
  plans: SeenAmong<ScopePlan>;
}

/** Injection token of `ScopeRecords`; the modules `environments` and `plans` provide it. */
export const SCOPE_RECORDS = Symbol('scope-records');
