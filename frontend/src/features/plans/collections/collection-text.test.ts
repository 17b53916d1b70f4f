import { expect, it } from 'vitest';
import { obstacleToDeletion } from './collection-text';

it.each([
  [0, 0, null],
  [1, 0, '1 plan lies in it: move or delete it first'],
  [3, 1, '3 plans and 1 collection lie in it: move or delete them first'],
  [0, 2, '2 collections lie in it: move or delete them first'],
])('with %i plans and %i collections in it: %s', (planCount, collections, text) => {
  expect(obstacleToDeletion({ planCount }, collections)).toBe(text);
});
