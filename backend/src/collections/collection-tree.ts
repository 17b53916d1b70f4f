import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../common/database/sql.js';
import { conflict } from '../common/errors/problem.js';

export const MAX_COLLECTION_LEVELS = 10;
export const MAX_COLLECTIONS = 1000;
const MAX_LISTED_COLLECTION_NAMES = 12;

export interface CollectionTreeNode {
  id: string;
  name: string;
  freezeReason: string | null;
  freezeUntil: Date | null;
  /** Whether a freeze of this collection itself, not of a parent, is active. */
  frozen: boolean;
}

/** Locks the tenant's tree until the transaction ends, because two concurrent moves could form a cycle. */
export const lockCollectionTree = (tx: EntityManager, tenantId: string): Promise<unknown> =>
  row(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`collections ${tenantId}`}, 0))`);

export async function readPaths(
  tx: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, CollectionTreeNode[]>> {
  const nodes = await rows(
    tx,
    sql<CollectionTreeNode & { leaf: string }>`with recursive up as (
        select id as leaf, 0 as height, id, parent_id, name, freeze_reason, freeze_from, freeze_until
          from collections where tenant_id = ${tenantId} and id = any (${[...new Set(ids)]})
        union all
        select up.leaf, up.height + 1, c.id, c.parent_id, c.name, c.freeze_reason, c.freeze_from, c.freeze_until
          from up join collections c on c.tenant_id = ${tenantId} and c.id = up.parent_id
      )
      select leaf, id, name, freeze_reason as "freezeReason", freeze_until as "freezeUntil",
          coalesce(freeze_from <= now() and freeze_until > now(), false) as frozen
        from up order by leaf, height desc`,
  );
  const paths = new Map<string, CollectionTreeNode[]>();
  for (const { leaf, ...node } of nodes) paths.set(leaf, [...(paths.get(leaf) ?? []), node]);
  return paths;
}

export async function readSubtrees(
  tx: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const subtrees = await rows(
    tx,
    sql<{ top: string; ids: string[] }>`with recursive down as (
        select id as top, id from collections where tenant_id = ${tenantId} and id = any (${ids})
        union all
        select down.top, c.id from down join collections c on c.tenant_id = ${tenantId} and c.parent_id = down.id
      )
      select top, array_agg(id) as ids from down group by top`,
  );
  return new Map(subtrees.map(({ top, ids: collectionIds }) => [top, collectionIds]));
}

/**
 * Validates a new parent of a collection.
 * @param id null: the collection is new
 * @throws Problem 409 `collection_path` for a cycle or more than {@link MAX_COLLECTION_LEVELS} levels
 */
export async function requireValidParent(
  tx: EntityManager,
  tenantId: string,
  { id, name }: { id: string | null; name: string },
  parentId: string,
): Promise<void> {
  const ancestors = (await readPaths(tx, tenantId, [parentId])).get(parentId) ?? [];
  const pathText = (nodes: readonly { name: string }[]) =>
    nodes
      .slice(0, MAX_LISTED_COLLECTION_NAMES)
      .map((node) => `"${node.name}"`)
      .join(' › ');
  const index = ancestors.findIndex((node) => node.id === id);
  if (index >= 0) {
    const cycle = `${pathText(ancestors.slice(index))} › "${name}"`;
    throw conflict('collection_path', `A collection cannot contain itself: ${cycle}. Choose another parent.`);
  }
  const levels = ancestors.length + (id === null ? 1 : await readSubtreeHeight(tx, tenantId, id));
  if (levels > MAX_COLLECTION_LEVELS) {
    const message = `Collections can be nested at most ${MAX_COLLECTION_LEVELS} levels deep; below ${pathText(ancestors)} there would be ${levels}.`;
    throw conflict('collection_path', message);
  }
}

async function readSubtreeHeight(tx: EntityManager, tenantId: string, id: string): Promise<number> {
  const tree = await row(
    tx,
    sql<{ levels: number | null }>`with recursive down as (
        select id, 1 as level from collections where tenant_id = ${tenantId} and id = ${id}
        union all
        select c.id, down.level + 1 from down join collections c on c.tenant_id = ${tenantId} and c.parent_id = down.id
      )
      select max(level) as levels from down`,
  );
  return tree?.levels ?? 0;
}
