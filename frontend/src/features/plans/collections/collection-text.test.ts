import { expect, it } from 'vitest';
import { obstacleToDeletion } from './collection-text';

it.each([
  [0, 0, null],
  [1, 0, 'Contains 1 plan: move or delete it first'],
  [3, 1, 'Contains 3 plans and 1 collection: move or delete them first'],
  [0, 2, 'Contains 2 collections: move or delete them first'],
])('with %i plans and %i collections in it: %s', (planCount, collections, text) => {
  expect(obstacleToDeletion({ planCount }, collections)).toBe(text);
});
