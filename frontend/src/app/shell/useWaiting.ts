import { useQuery } from '@tanstack/react-query';
import { awaitingChangesQuery } from '../../api/queries/inventory/protection-changes';
import { awaitingMeQuery } from '../../api/queries/runs/executions';
import { plural } from '../../ui/format/format';

const REFRESH_MS = 15_000;

interface Waiting {
  count: number;
  /** Such as `3` or `50+`. */
  label: string;
  /** Such as `2 runs and 1 protection change are waiting for you`. */
  description: string;
}

/** Counts what waits for a decision of the signed-in member; null = nothing. */
export function useWaiting(): Waiting | null {
  const waiting = useQuery({ ...awaitingMeQuery, refetchInterval: REFRESH_MS });
  const changes = useQuery({ ...awaitingChangesQuery, refetchInterval: REFRESH_MS * 2 });
  const runCount = waiting.data?.items.length ?? 0;
  const changeCount = changes.data?.items.length ?? 0;
  const count = runCount + changeCount;
  if (count === 0) return null;
  const parts = [
    ...(runCount > 0 ? [plural(runCount, 'run')] : []),
    ...(changeCount > 0 ? [plural(changeCount, 'protection change')] : []),
  ];
  return {
    count,
    label: `${count}${waiting.data?.nextCursor ? '+' : ''}`,
    description: `${parts.join(' and ')} ${count === 1 ? 'is' : 'are'} waiting for you`,
  };
}
