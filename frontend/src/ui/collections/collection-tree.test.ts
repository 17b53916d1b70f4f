import { describe, expect, it } from 'vitest';
import type { Collection } from '../../api/types';
import { childrenOf, collectionChoices, treeOf } from './collection-tree';

const named = (id: string, name: string, parent: Collection | null = null): Collection => ({
  id,
  name,
  description: '',
  parentId: parent?.id ?? null,
  path: parent ? [...parent.path, { id: parent.id, name: parent.name }] : [],
  planCount: 0,
  totalPlanCount: 0,
  freeze: null,
  frozenBy: null,
  createdAt: '',
  updatedAt: '',
  version: 1,
});
const releases = named('r', 'Releases');
const web = named('w', 'web', releases);
const eu = named('e', 'EU', web);
const all = [eu, named('10', 'team 10'), web, releases, named('9', 'team 9')];

describe('the tree of collections', () => {
  it('holds each in its parent, by name and number', () => {
    const shape = (nodes: ReturnType<typeof treeOf>): unknown[] =>
      nodes.map(({ collection, inside }) => (inside.length > 0 ? [collection.name, shape(inside)] : collection.name));
    expect(shape(treeOf(all))).toEqual([['Releases', [['web', ['EU']]]], 'team 9', 'team 10']);
  });

  it('loses none whose parent is missing', () => {
    expect(treeOf([eu]).map(({ collection }) => collection.id)).toEqual(['e']);
  });
});

describe('collections to choose from', () => {
  it('are labelled with their path', () => {
    expect(collectionChoices(all).map(({ label }) => label)).toEqual([
      'Releases',
      'Releases › web',
      'Releases › web › EU',
      'team 9',
      'team 10',
    ]);
  });

  it('leave out the one that moves, with all that lies in it', () => {
    expect(collectionChoices(all, 'w').map(({ value }) => value)).toEqual(['r', '9', '10']);
  });
});

it('finds what lies in a collection directly', () => {
  expect(childrenOf(all, 'r')).toEqual([web]);
});
