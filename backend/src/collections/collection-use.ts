import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';

export interface CollectionUsage {
  /**
   * Returns the number of plans directly in each collection that the caller may see. Collections without plans are
   * omitted.
   */
  planCounts(tx: EntityManager, caller: Principal, ids: readonly string[]): Promise<Map<string, number>>;
  /** Returns git sources with a plan folder that belongs to the collection, at most 10. */
  gitSourcesInto(tx: EntityManager, tenantId: string, id: string): Promise<{ id: string; name: string }[]>;
  /**
   * Call it after a change of a freeze or a move of a collection: runs that waited for the end of a freeze may start.
   */
  wakeWaitingRuns(tx: EntityManager, tenantId: string): Promise<void>;
}

export const COLLECTION_USE = Symbol('collection-use');
