import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';

/** Ids of these records that the caller sees. */
type SeenAmong = (tx: EntityManager, caller: Principal, ids: readonly string[]) => Promise<readonly string[]>;

/** The records that tokens may be narrowed to. */
export interface ScopeRecords {
  environments: SeenAmong;
  plans: SeenAmong;
}

/** Injection token of the `ScopeRecords`; the rooms `environments` and `plans` answer it. */
export const SCOPE_RECORDS = Symbol('scope-records');
