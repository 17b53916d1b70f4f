import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';

/** What lies in collections, and what waits for them. */
export interface CollectionUse {
  /** How many plans that the caller may see lie in each of these collections themselves; those without any are left out. */
  planCounts(tx: EntityManager, caller: Principal, ids: readonly string[]): Promise<Map<string, number>>;
  /** Git sources whose folders of plans belong into the collection, at the most ten of them. */
  gitSourcesInto(tx: EntityManager, tenantId: string, id: string): Promise<{ id: string; name: string }[]>;
  /** A freeze of the tenant was lifted or moved: runs that one holds back are looked at again. */
  wakeHeldRuns(tx: EntityManager, tenantId: string): Promise<void>;
}

/** Injection token of the `CollectionUse`; the rooms `plans` and `executions` answer it. */
export const COLLECTION_USE = Symbol('collection-use');
