import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { plural } from '../format/format';

interface Props {
  /** Query of the token, trust rule or service account that is about to end. */
  of: Pick<UseQueryResult<{ waitingRuns?: number }>, 'data' | 'isError'>;
}

/** Says before a confirmation how many runs the action cancels. */
export function RunsCancelled({ of: { data, isError } }: Props) {
  const count = data?.waitingRuns ?? 0;
  return (
    <Text mt="sm" fw={count > 0 ? 600 : undefined} aria-live="polite">
      {data
        ? count > 0
          ? `${plural(count, 'run')} that ${count === 1 ? 'has' : 'have'} not begun will be cancelled.`
          : 'No runs will be cancelled.'
        : isError
          ? 'Runs that it started and that have not begun will be cancelled. Their number is not available.'
          : 'Counting the runs that will be cancelled…'}
    </Text>
  );
}
