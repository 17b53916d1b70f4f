import type { Collection } from '../../api/types';

/** A collection with those that lie in it, by name. */
export interface CollectionNode {
  collection: Collection;
  inside: CollectionNode[];
}

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/**
 * The collections as a tree. One whose parent is not among them stands at the top, so that none is lost when a list was
 * read while somebody moved things.
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
 * Choices of a select, in the order of the tree.
 * @param without a collection that is moved: it can't lie in itself, nor in what lies in it
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

/** Collections that lie in one directly. */
export const childrenOf = (collections: readonly Collection[], id: string): Collection[] =>
  collections.filter(({ parentId }) => parentId === id);
