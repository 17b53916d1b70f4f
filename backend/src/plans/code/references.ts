export type ReferenceKind = 'environment' | 'collection' | 'script' | 'template' | 'git source' | 'plan';

export interface ReferenceField {
  readonly id: string;
  readonly name: string;
  readonly kind: ReferenceKind;
}

/** References of a plan. A collection is written as its path: `Releases/Web`. */
export const PLAN_REFERENCES: readonly ReferenceField[] = [
  { id: 'environmentId', name: 'environment', kind: 'environment' },
  { id: 'collectionId', name: 'collection', kind: 'collection' },
];

export const STEP_REFERENCES: readonly ReferenceField[] = [
  { id: 'scriptId', name: 'script', kind: 'script' },
  { id: 'templateId', name: 'template', kind: 'template' },
  { id: 'gitSourceId', name: 'gitSource', kind: 'git source' },
  { id: 'planId', name: 'plan', kind: 'plan' },
];

/** Separates names in the path of a collection. A name that contains the separator cannot be written as a path. */
export const PATH_SEPARATOR = '/';
