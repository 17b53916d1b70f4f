/** Kinds of records that a text of a plan names. */
export type ReferenceKind = 'environment' | 'collection' | 'script' | 'template' | 'git source' | 'plan';

/** A field that holds an id, and the field that says the same by name. */
export interface ReferenceField {
  readonly id: string;
  readonly name: string;
  readonly kind: ReferenceKind;
}

/** Of the plan itself. A collection is named by its way from the top: `Releases/Web`. */
export const PLAN_REFERENCES: readonly ReferenceField[] = [
  { id: 'environmentId', name: 'environment', kind: 'environment' },
  { id: 'collectionId', name: 'collection', kind: 'collection' },
];

/** Of its steps. */
export const STEP_REFERENCES: readonly ReferenceField[] = [
  { id: 'scriptId', name: 'script', kind: 'script' },
  { id: 'templateId', name: 'template', kind: 'template' },
  { id: 'gitSourceId', name: 'gitSource', kind: 'git source' },
  { id: 'planId', name: 'plan', kind: 'plan' },
];

/** Stands between the names of collections; a name that holds it can't be told that way. */
export const PATH_SEPARATOR = '/';
