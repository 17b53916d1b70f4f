import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';

/** A plan that a scope names. */
export interface ScopePlan {
  id: string;
  name: string;
  /** Environment that it is bound to; null: none. */
  environmentId: string | null;
}

/** Those of these records that the caller sees. */
type SeenAmong<T> = (tx: EntityManager, caller: Principal, ids: readonly string[]) => Promise<readonly T[]>;

/** The records that tokens may be narrowed to. */
export interface ScopeRecords {
  /** Ids of environments. */
  environments: SeenAmong<string>;
  plans: SeenAmong<ScopePlan>;
}

/** Injection token of the `ScopeRecords`; the rooms `environments` and `plans` answer it. */
export const SCOPE_RECORDS = Symbol('scope-records');
