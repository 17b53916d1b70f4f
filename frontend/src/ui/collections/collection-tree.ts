import type { Collection } from '../../api/types';

export interface CollectionNode {
  collection: Collection;
  inside: CollectionNode[];
}

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/**
 * Returns the collections as a tree. A collection without its parent is at the top, so that none is lost if collections
 * are moved during the request.
 */
export function treeOf(collections: readonly Collection[]): CollectionNode[] {
  const known = new Set(collections.map(({ id }) => id));
  const byParent = new Map<string | null, Collection[]>();
  for (const collection of collections) {
    const parent = collection.parentId !== null && known.has(collection.parentId) ? collection.parentId : null;
    byParent.set(parent, [...(byParent.get(parent) ?? []), collection]);
  }
  const inside = (parentId: string | null): CollectionNode[] =>
    (byParent.get(parentId) ?? [])
      .toSorted((a, b) => names.compare(a.name, b.name))
      .map((collection) => ({ collection, inside: inside(collection.id) }));
  return inside(null);
}

/** Returns a path such as `Releases › Web`. Names alone are unique only within a collection. */
export const pathText = ({ path, name }: Pick<Collection, 'path' | 'name'>): string =>
  [...path.map((place) => place.name), name].join(' › ');

/**
 * Returns the options of a select, in the order of the tree.
 * @param without collection that is being moved; it and its descendants cannot be its parent
 */
export const collectionChoices = (
  collections: readonly Collection[],
  without: string | null = null,
): { value: string; label: string }[] => {
  const choices = (nodes: readonly CollectionNode[]): { value: string; label: string }[] =>
    nodes.flatMap(({ collection, inside }) =>
      collection.id === without ? [] : [{ value: collection.id, label: pathText(collection) }, ...choices(inside)],
    );
  return choices(treeOf(collections));
};

export const childrenOf = (collections: readonly Collection[], id: string): Collection[] =>
  collections.filter(({ parentId }) => parentId === id);
