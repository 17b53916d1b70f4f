import type { ProblemKind } from './problem-kind.js';

/** Problems of collections of plans. */
export const COLLECTION_PROBLEMS = {
  collection_frozen: {
    status: 409,
    title: 'Collection frozen',
    meaning: 'The plan lies in a collection whose starts are refused for a time; `detail` says why, and until when.',
    advice: 'Wait for its end. An admin may lift the freeze, or start with `freezeOverride` and a reason.',
  },
  collection_path: {
    status: 409,
    title: 'No place for the collection',
    meaning: 'The collection would lie in itself, or too many levels deep.',
    advice: 'Choose another collection for it to lie in.',
  },
  not_frozen: {
    status: 409,
    title: 'Not frozen',
    meaning: 'Nothing holds the run back that could be overridden.',
    advice: 'Read the run again: it may have begun, or the freeze is over.',
  },
  too_many_collections: {
    status: 409,
    title: 'Too many collections',
    meaning: 'The tenant has as many collections as it may have.',
    advice: 'Delete collections that are not needed any more.',
  },
} as const satisfies Record<string, ProblemKind>;
