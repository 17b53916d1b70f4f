import { Alert, Stack, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { ApiProblem } from '../../../api/errors';
import { AnchorLink } from '../../../ui/links';
import { RelativeTime } from '../../../ui/RelativeTime';

/** Why the guard refused: which run holds what. */
export function OverlapNotice({ problem }: { problem: ApiProblem }) {
  return (
    <Alert color="yellow" role="alert" icon={<IconLock aria-hidden />} title="Another run is in the way">
      <Stack gap={6}>
        {problem.conflicts.map((conflict, index) => (
          <Text key={conflict.executionId ?? index}>
            {conflict.executionId ? (
              <AnchorLink to="/executions/$id" params={{ id: conflict.executionId }} inherit underline="always">
                {conflict.planName ?? 'A run'}
              </AnchorLink>
            ) : (
              (conflict.planName ?? 'A run')
            )}
            {conflict.startedBy && ` by ${conflict.startedBy}`}, <RelativeTime at={conflict.since ?? null} />, holds{' '}
            {(conflict.sharedHosts.length > 0 ? conflict.sharedHosts : conflict.sharedKeys).join(', ')}.
          </Text>
        ))}
        {problem.hiddenConflicts > 0 && <Text>{problem.hiddenConflicts} more that you may not see.</Text>}
        <Text>Nothing was started. Wait for it to finish or cancel it, then start again.</Text>
      </Stack>
    </Alert>
  );
}
