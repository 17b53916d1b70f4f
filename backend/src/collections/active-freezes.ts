import type { EntityManager } from 'typeorm';
import { rows, sql } from '../common/database/sql.js';
import type { ActiveFreeze } from './collection-reader.js';
import { readSubtrees } from './collection-tree.js';

/** Maximum number of active freezes that are read. */
const MAX_FREEZES = 50;

export interface FrozenTree extends ActiveFreeze {
  /** The frozen collection and all nested ones. */
  collectionIds: string[];
}

/** Returns the freezes that are active now with the collections that they freeze, those that end first first. */
export async function listActiveFreezes(tx: EntityManager, tenantId: string): Promise<FrozenTree[]> {
  const freezes = await rows(
    tx,
    sql<ActiveFreeze>`select id as "collectionId", name as "collectionName", coalesce(freeze_reason, '') as reason,
        coalesce(freeze_until, now()) as until
      from collections where tenant_id = ${tenantId} and freeze_from <= now() and freeze_until > now()
      order by freeze_until, id limit ${MAX_FREEZES}`,
  );
  if (freezes.length === 0) return [];
  const trees = await readSubtrees(
    tx,
    tenantId,
    freezes.map(({ collectionId }) => collectionId),
  );
  return freezes.map((freeze) => ({ ...freeze, collectionIds: trees.get(freeze.collectionId) ?? [] }));
}
