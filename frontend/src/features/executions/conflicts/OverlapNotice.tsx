import { Alert, Stack, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { ApiProblem } from '../../../api/errors';
import { ConflictList } from './ConflictList';

/** Why a start was refused: which runs conflict with it. */
export function OverlapNotice({ problem }: { problem: ApiProblem }) {
  const unknown = problem.conflicts.some(({ unknownResults }) => unknownResults);
  const others = problem.hiddenConflicts > 0 || problem.conflicts.some(({ unknownResults }) => !unknownResults);
  return (
    <Alert color="yellow" role="alert" icon={<IconLock aria-hidden />} title="Another run is in the way">
      <Stack gap={6}>
        <ConflictList conflicts={problem.conflicts} hidden={problem.hiddenConflicts} />
        <Text>
          Nothing was started. {unknown && 'Open the run with the unknown result and say what became of its hosts. '}
          {others && `Wait for ${unknown ? 'the other' : 'it'} to finish, answer what it waits for, or cancel it. `}
          Then start again.
        </Text>
      </Stack>
    </Alert>
  );
}
