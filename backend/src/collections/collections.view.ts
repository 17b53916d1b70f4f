import { ApiProperty } from '@nestjs/swagger';
import type { Collection } from './collection.entity.js';
import { type ActiveFreeze, activeFreeze } from './collection-reader.js';
import type { TreeNode } from './collection-tree.js';

/** A freeze, whether or not it is in force now. */
export class FreezeView {
  reason: string;
  @ApiProperty({ type: String, format: 'date-time' })
  from: string;
  @ApiProperty({ type: String, format: 'date-time' })
  until: string;
  setBy: string;
  setByName: string;
}

/** A freeze that is in force now. */
export class ActiveFreezeView {
  /** The frozen collection: this one or one of its parents. */
  collectionId: string;
  collectionName: string;
  reason: string;
  @ApiProperty({ type: String, format: 'date-time' })
  until: string;
}

export class CollectionPlaceView {
  id: string;
  name: string;
}

export class CollectionView {
  id: string;
  /** @example "Releases" */
  name: string;
  description: string;
  /** Parent collection; null = top level. */
  @ApiProperty({ type: String, nullable: true })
  parentId: string | null;
  /** Parent collections, from the top level. */
  @ApiProperty({ type: [CollectionPlaceView] })
  path: CollectionPlaceView[];
  /** Number of plans in it that you can see. */
  planCount: number;
  /** The same, including all nested collections. */
  totalPlanCount: number;
  /** Its own freeze, also when it has not begun or has ended; null = none set. */
  @ApiProperty({ type: FreezeView, nullable: true })
  freeze: FreezeView | null;
  /** Freeze that refuses starts of its plans now; null = none. */
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
    setBy: freezeBy,
    setByName: freezeByName,
  };
}

/** @param path from the top level, including the collection */
export function toCollectionView(
  collection: Collection,
  path: readonly TreeNode[],
  counts: { own: number; total: number },
): CollectionView {
  const frozen = activeFreeze(path);
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
