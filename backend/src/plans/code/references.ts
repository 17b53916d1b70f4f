import type { ReferenceField } from '../steps/types/step-type.js';

/** References of a plan. A collection is written as its path: `Releases/Web`. */
export const PLAN_REFERENCES: readonly ReferenceField[] = [
  { id: 'environmentId', name: 'environment', kind: 'environment' },
  { id: 'collectionId', name: 'collection', kind: 'collection' },
];

/** Separates names in the path of a collection. A name that contains the separator cannot be written as a path. */
export const PATH_SEPARATOR = '/';
