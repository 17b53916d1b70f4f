import { Alert, Stack, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { ApiProblem } from '../../../api/errors';
import { ConflictList } from './ConflictList';

/** Why the guard refused: which run holds what. */
export function OverlapNotice({ problem }: { problem: ApiProblem }) {
  const unknown = problem.conflicts.some(({ unknownResults }) => unknownResults);
  return (
    <Alert color="yellow" role="alert" icon={<IconLock aria-hidden />} title="Another run is in the way">
      <Stack gap={6}>
        <ConflictList conflicts={problem.conflicts} hidden={problem.hiddenConflicts} />
        <Text>
          {unknown
            ? 'Nothing was started. Open the run with the unknown result, say what became of its hosts, then start again.'
            : 'Nothing was started. Wait for it to finish or cancel it, then start again.'}
        </Text>
      </Stack>
    </Alert>
  );
}
