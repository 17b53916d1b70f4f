import type { Collection } from '../../api/types';

/** A collection with its children, by name. */
export interface CollectionNode {
  collection: Collection;
  inside: CollectionNode[];
}

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/**
 * The collections as a tree. A collection whose parent is missing is at the top, so that none is lost when collections
 * were moved during the request.
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

/** `Releases › Web`: names alone are unique only within a collection. */
export const pathText = ({ path, name }: Pick<Collection, 'path' | 'name'>): string =>
  [...path.map((place) => place.name), name].join(' › ');

/**
 * Options of a select, in the order of the tree.
 * @param without a collection that is being moved: neither it nor its descendants can be its parent
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

/** Direct children of a collection. */
export const childrenOf = (collections: readonly Collection[], id: string): Collection[] =>
  collections.filter(({ parentId }) => parentId === id);
