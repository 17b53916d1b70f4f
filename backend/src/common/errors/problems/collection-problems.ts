import type { ProblemKind } from './problem-kind.js';

export const COLLECTION_PROBLEMS = {
  collection_frozen: {
    status: 409,
    title: 'Collection frozen',
    meaning: 'The collection of the plan is frozen, so its plans cannot start. `detail` gives the reason and the end.',
    advice: 'Wait until the freeze ends. An admin can lift the freeze, or start with `freezeOverride` and a reason.',
  },
  collection_path: {
    status: 409,
    title: 'Invalid parent collection',
    meaning: 'The collection would contain itself, or would be nested too deeply.',
    advice: 'Choose another parent collection.',
  },
  not_frozen: {
    status: 409,
    title: 'Not frozen',
    meaning: 'No freeze delays the run, so there is nothing to override.',
    advice: 'Read the run again: it may have begun, or the freeze has ended.',
  },
  too_many_collections: {
    status: 409,
    title: 'Too many collections',
    meaning: 'The tenant has reached its limit of collections.',
    advice: 'Delete collections that you no longer need.',
  },
} as const satisfies Record<string, ProblemKind>;
