import type { LatestResult } from '../executions/overview/latest-results.js';
import type { ExecutionResultView } from './overview.view.js';

/** Visible environments that the overview reads. */
export const MAX_ENVIRONMENTS = 2_000;
export const TREND_DAYS = 30;

/** Returns the records with these IDs first, in this order, then the others in their order. */
export function sortFirst<T extends { id: string }>(records: readonly T[], ids: readonly string[]): T[] {
  const places = new Map([...new Set(ids)].map((id, place) => [id, place]));
  const placeOf = ({ id }: T) => places.get(id) ?? places.size;
  return records.toSorted((a, b) => placeOf(a) - placeOf(b));
}

export const toExecutionResultView = (result: LatestResult): ExecutionResultView => ({
  executionId: result.id,
  planId: result.planId,
  planName: result.planName,
  planRevision: result.planRevision,
  status: result.status,
  startedAt: result.startedAt.toISOString(),
  finishedAt: result.finishedAt?.toISOString() ?? null,
});
