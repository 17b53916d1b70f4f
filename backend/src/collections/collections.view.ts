import { ApiProperty } from '@nestjs/swagger';
import type { Collection } from './collection.entity.js';
import { type ActiveFreeze, findActiveFreeze } from './collection-reader.js';
import type { CollectionTreeNode } from './collection-tree.js';
import { UserReference } from '../common/http/user-reference.view.js';

/** Freeze of a collection. It need not be active now. */
export class FreezeView {
  reason: string;
  /** Start of the freeze, in UTC. */
  @ApiProperty({ type: String, format: 'date-time' })
  from: string;
  @ApiProperty({ type: String, format: 'date-time' })
  until: string;
  /** Member who froze the collection. */
  setBy: UserReference;
}

/** Freeze that is active now. */
export class ActiveFreezeView {
  /** The frozen collection: this collection or one of its parents. */
  collectionId: string;
  /** @example "Releases" */
  collectionName: string;
  /** Reason of the freeze, shown to members whose start is refused. */
  reason: string;
  @ApiProperty({ type: String, format: 'date-time' })
  until: string;
}

export class CollectionPlaceView {
  id: string;
  /** Name of the collection, unique in its parent. */
  name: string;
}

export class CollectionView {
  id: string;
  /**
   * Unique in the parent collection, regardless of case.
   * @example "Releases"
   */
  name: string;
  description: string;
  /** Parent collection; null: top level. */
  @ApiProperty({ type: String, nullable: true })
  parentId: string | null;
  /** Parent collections, starting at the top level. */
  @ApiProperty({ type: [CollectionPlaceView] })
  path: CollectionPlaceView[];
  /** Number of plans directly in the collection that you can see. */
  planCount: number;
  /** Number of plans in the collection and all nested collections that you can see. */
  totalPlanCount: number;
  /** Freeze of the collection itself, even if it has not begun or has ended; null: none set. */
  @ApiProperty({ type: FreezeView, nullable: true })
  freeze: FreezeView | null;
  /** Freeze that currently refuses starts of the collection's plans; null: none. */
  @ApiProperty({ type: ActiveFreezeView, nullable: true })
  frozenBy: ActiveFreezeView | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export class CollectionListView {
  items: CollectionView[];
  nextCursor: string | null;
}

export const toActiveFreezeView = (freeze: ActiveFreeze): ActiveFreezeView => ({
  ...freeze,
  until: freeze.until.toISOString(),
});

function toFreezeView({
  freezeReason,
  freezeFrom,
  freezeUntil,
  freezeBy,
  freezeByName,
}: Collection): FreezeView | null {
  if (freezeReason === null || !freezeFrom || !freezeUntil || freezeBy === null || freezeByName === null) return null;
  return {
    reason: freezeReason,
    from: freezeFrom.toISOString(),
    until: freezeUntil.toISOString(),
    setBy: { id: freezeBy, name: freezeByName },
  };
}

/** @param path from the top level, including the collection */
export function toCollectionView(
  collection: Collection,
  path: readonly CollectionTreeNode[],
  counts: { own: number; total: number },
): CollectionView {
  const frozen = findActiveFreeze(path);
  return {
    id: collection.id,
    name: collection.name,
    description: collection.description,
    parentId: collection.parentId,
    path: path.slice(0, -1).map(({ id, name }) => ({ id, name })),
    planCount: counts.own,
    totalPlanCount: counts.total,
    freeze: toFreezeView(collection),
    frozenBy: frozen && toActiveFreezeView(frozen),
    createdAt: collection.createdAt.toISOString(),
    updatedAt: collection.updatedAt.toISOString(),
    version: collection.version,
  };
}
