import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { row, sql } from '../common/database/sql.js';
import { conflict, notFound } from '../common/errors/problem.js';
import { isId } from '../common/ids.js';
import { Collection } from './collection.entity.js';
import { readPaths, readSubtrees, type CollectionTreeNode } from './collection-tree.js';

export interface ActiveFreeze {
  collectionId: string;
  collectionName: string;
  reason: string;
  until: Date;
}

@Injectable()
export class CollectionReader {
  /**
   * @param path JSON pointer to the ID in a request body
   * @throws Problem 404
   */
  async findCollection(tx: EntityManager, tenantId: string, id: string, path?: string): Promise<Collection> {
    const collection = isId(id) ? await tx.getRepository(Collection).findOneBy({ tenantId, id }) : null;
    if (!collection) throw notFound(path);
    return collection;
  }

  async listSubtreeIds(tx: EntityManager, tenantId: string, id: string): Promise<string[]> {
    return (await readSubtrees(tx, tenantId, [id])).get(id) ?? [];
  }

  async readCollectionPath(tx: EntityManager, tenantId: string, id: string): Promise<string[]> {
    return ((await readPaths(tx, tenantId, [id])).get(id) ?? []).map(({ name }) => name);
  }

  /** Finds a collection by its path from the top level, ignoring case; null: not found. */
  async getIdByPath(tx: EntityManager, tenantId: string, names: readonly string[]): Promise<string | null> {
    let id: string | null = null;
    for (const name of names) {
      const next: { id: string } | undefined = await row(
        tx,
        sql<{ id: string }>`select id from collections
          where tenant_id = ${tenantId} and parent_id is not distinct from ${id} and lower(name) = lower(${name})`,
      );
      if (!next) return null;
      id = next.id;
    }
    return id;
  }

  /** Returns the active freeze of each collection, by collection ID. Collections without a freeze are omitted. */
  async findActiveFreezes(
    tx: EntityManager,
    tenantId: string,
    ids: readonly string[],
  ): Promise<Map<string, ActiveFreeze>> {
    if (ids.length === 0) return new Map();
    const paths = await readPaths(tx, tenantId, ids);
    return new Map([...paths].flatMap(([id, path]) => toMapEntries(id, findActiveFreeze(path))));
  }

  /**
   * Refuses moves out of a frozen collection, which would evade the freeze.
   * @throws Problem 409 `collection_frozen`, except for admins
   */
  async requireMovableTo(tx: EntityManager, caller: Principal, id: string | null): Promise<void> {
    if (id === null || caller.role === 'admin') return;
    const freeze = (await this.findActiveFreezes(tx, caller.tenantId, [id])).get(id);
    if (freeze) throw conflict('collection_frozen', `${describeFreeze(freeze)} Only admins can move its content.`);
  }
}

const toMapEntries = <T>(id: string, value: T | null): [string, T][] => (value === null ? [] : [[id, value]]);

/** Returns the active freeze on a path; of several, the one that ends last, because until then no run starts. */
export function findActiveFreeze(path: readonly CollectionTreeNode[]): ActiveFreeze | null {
  let last: ActiveFreeze | null = null;
  for (const { id, name, frozen, freezeReason, freezeUntil } of path) {
    if (!frozen || freezeReason === null || freezeUntil === null) continue;
    if (last && last.until >= freezeUntil) continue;
    last = { collectionId: id, collectionName: name, reason: freezeReason, until: freezeUntil };
  }
  return last;
}

export const describeFreeze = ({ collectionName, reason, until }: ActiveFreeze): string =>
  `The collection "${collectionName}" is frozen until ${until.toISOString()}: ${reason}${/[.!?]$/.test(reason) ? '' : '.'}`;
