/** Kinds of records that a plan can reference by name. */
export type ReferenceKind = 'environment' | 'collection' | 'script' | 'template' | 'git source' | 'plan';

/** A field with an ID, and the corresponding field with a name. */
export interface ReferenceField {
  readonly id: string;
  readonly name: string;
  readonly kind: ReferenceKind;
}

/** References of the plan. A collection is written as its path: `Releases/Web`. */
export const PLAN_REFERENCES: readonly ReferenceField[] = [
  { id: 'environmentId', name: 'environment', kind: 'environment' },
  { id: 'collectionId', name: 'collection', kind: 'collection' },
];

/** References of a step. */
export const STEP_REFERENCES: readonly ReferenceField[] = [
  { id: 'scriptId', name: 'script', kind: 'script' },
  { id: 'templateId', name: 'template', kind: 'template' },
  { id: 'gitSourceId', name: 'gitSource', kind: 'git source' },
  { id: 'planId', name: 'plan', kind: 'plan' },
];

/** Separates names in the path of a collection. A name that contains it cannot be written as a path. */
export const PATH_SEPARATOR = '/';
