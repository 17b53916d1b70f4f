import { ApiProperty } from '@nestjs/swagger';
import type { Collection } from './collection.entity.js';
import { type ActiveFreeze, activeFreeze } from './collection-reader.js';
import type { TreeNode } from './collection-tree.js';

/** A freeze as it was set. */
export class FreezeView {
  reason: string;
  @ApiProperty({ type: String, format: 'date-time' })
  from: string;
  @ApiProperty({ type: String, format: 'date-time' })
  until: string;
  setBy: string;
  setByName: string;
}

/** A freeze that holds now. */
export class ActiveFreezeView {
  /** The collection that was frozen: this one, or one that it lies in. */
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
  /** Null: it lies in no other. */
  @ApiProperty({ type: String, nullable: true })
  parentId: string | null;
  /** The collections that it lies in, from the top. */
  @ApiProperty({ type: [CollectionPlaceView] })
  path: CollectionPlaceView[];
  /** Plans in it that the caller may see. */
  planCount: number;
  /** The same, with those in all collections in it. */
  totalPlanCount: number;
  /** Its own freeze, whether it holds already or still or not; null: none was set. */
  @ApiProperty({ type: FreezeView, nullable: true })
  freeze: FreezeView | null;
  /** What refuses starts of its plans now; null: nothing does. */
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

/** @param path from the top, the collection itself included */
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
