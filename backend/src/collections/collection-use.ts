import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';

/** Port to plans and runs in collections. */
export interface CollectionUse {
  /** Number of plans directly in each collection that the caller may see. Collections without any are omitted. */
  planCounts(tx: EntityManager, caller: Principal, ids: readonly string[]): Promise<Map<string, number>>;
  /** Git sources with a plan folder that belongs to the collection, at most 10. */
  gitSourcesInto(tx: EntityManager, tenantId: string, id: string): Promise<{ id: string; name: string }[]>;
  /**
   * Call it after a freeze was changed or a collection was moved: runs that waited for the end of a freeze may start.
   */
  wakeHeldRuns(tx: EntityManager, tenantId: string): Promise<void>;
}

/** Injection token of {@link CollectionUse}. The modules `plans` and `executions` provide it. */
export const COLLECTION_USE = Symbol('collection-use');
