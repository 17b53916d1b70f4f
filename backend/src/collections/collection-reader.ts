import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { conflict, notFound } from '../common/errors/problem.js';
import { isId } from '../common/ids.js';
import { Collection } from './collection.entity.js';
import { pathsOf, subtreesOf, type TreeNode } from './collection-tree.js';

/** A freeze that holds now, of a collection or of one that it lies in. */
export interface ActiveFreeze {
  collectionId: string;
  collectionName: string;
  reason: string;
  until: Date;
}

/** Tells other rooms about collections. */
@Injectable()
export class CollectionReader {
  /**
   * @param path JSON pointer, when the id stood in a body
   * @throws Problem 404
   */
  async known(tx: EntityManager, tenantId: string, id: string, path?: string): Promise<Collection> {
    const collection = isId(id) ? await tx.getRepository(Collection).findOneBy({ tenantId, id }) : null;
    if (!collection) throw notFound(path);
    return collection;
  }

  /** Ids of a collection and of all that lie in it; none where there is no such collection. */
  async within(tx: EntityManager, tenantId: string, id: string): Promise<string[]> {
    return (await subtreesOf(tx, tenantId, [id])).get(id) ?? [];
  }

  /** The names on the way to a collection, from the top; empty where there is no such collection. */
  async pathOf(tx: EntityManager, tenantId: string, id: string): Promise<string[]> {
    return ((await pathsOf(tx, tenantId, [id])).get(id) ?? []).map(({ name }) => name);
  }

  /** The collection that these names lead to from the top; case is no difference. Null: there is none. */
  async atPath(tx: EntityManager, tenantId: string, names: readonly string[]): Promise<string | null> {
    let id: string | null = null;
    for (const name of names) {
      const [next]: { id: string }[] = await tx.query(
        `select id from collections where tenant_id = $1 and parent_id is not distinct from $2 and lower(name) = lower($3)`,
        [tenantId, id, name],
      );
      if (!next) return null;
      id = next.id;
    }
    return id;
  }

  /** The freezes that hold now for what lies in these collections; those without one are left out. */
  async freezes(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Map<string, ActiveFreeze>> {
    if (ids.length === 0) return new Map();
    const paths = await pathsOf(tx, tenantId, ids);
    return new Map([...paths].flatMap(([id, path]) => pairOf(id, activeFreeze(path))));
  }

  /**
   * What lies in a frozen collection is not taken out of it to escape the freeze.
   * @throws Problem 409 `collection_frozen`, but for admins
   */
  async demandMovable(tx: EntityManager, caller: Principal, id: string | null): Promise<void> {
    if (id === null || caller.role === 'admin') return;
    const freeze = (await this.freezes(tx, caller.tenantId, [id])).get(id);
    if (freeze) throw conflict('collection_frozen', `${frozenText(freeze)} Only admins may move what lies in it.`);
  }
}

const pairOf = <T>(id: string, value: T | null): [string, T][] => (value === null ? [] : [[id, value]]);

/** Of several freezes on a way the one that ends last: nothing starts before. */
export function activeFreeze(path: readonly TreeNode[]): ActiveFreeze | null {
  let last: ActiveFreeze | null = null;
  for (const { id, name, frozen, freezeReason, freezeUntil } of path) {
    if (!frozen || freezeReason === null || freezeUntil === null) continue;
    if (last && last.until >= freezeUntil) continue;
    last = { collectionId: id, collectionName: name, reason: freezeReason, until: freezeUntil };
  }
  return last;
}

/** Says what is frozen, until when and why. */
export const frozenText = ({ collectionName, reason, until }: ActiveFreeze): string =>
  `The collection "${collectionName}" is frozen until ${until.toISOString()}: ${reason}${/[.!?]$/.test(reason) ? '' : '.'}`;
