import type { ResultGrid } from '../../types';

/** Joins two parts of a grid. Each part has its own lists of different results and choices of steps. */
export const appendGrid = (first: ResultGrid, next: ResultGrid): ResultGrid => ({
  ...next,
  serverIds: [...first.serverIds, ...next.serverIds],
  serverNames: [...first.serverNames, ...next.serverNames],
  addresses: [...first.addresses, ...next.addresses],
  hostStatuses: [...first.hostStatuses, ...next.hostStatuses],
  durationsMs: [...first.durationsMs, ...next.durationsMs],
  targets: [...first.targets, ...next.targets.map((index) => index + first.targetedBy.length)],
  targetedBy: [...first.targetedBy, ...next.targetedBy],
  hostTags: [...first.hostTags, ...next.hostTags.map((index) => index + first.tags.length)],
  tags: [...first.tags, ...next.tags],
  hostFacts: [...first.hostFacts, ...next.hostFacts.map((index) => index + first.facts.length)],
  facts: [...first.facts, ...next.facts],
  cells: [...first.cells, ...next.cells],
  results: [
    ...first.results,
    ...next.results.map((row) => row.map((index) => (index < 0 ? index : index + first.cells.length))),
  ],
});
