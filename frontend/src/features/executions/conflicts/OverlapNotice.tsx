import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconLock, IconStack2 } from '@tabler/icons-react';
import type { ApiProblem } from '../../../api/errors';
import { ConflictList } from './ConflictList';

interface Props {
  problem: ApiProblem;
  /** Starts it so that it waits for its turn; absent: it can't. */
  onQueue?: () => void;
  pending?: boolean;
}

/** Why a start was refused: which runs conflict with it, and the way to wait for them. */
export function OverlapNotice({ problem, onQueue, pending = false }: Props) {
  const unknown = problem.conflicts.some(({ unknownResults }) => unknownResults);
  const others = problem.hiddenConflicts > 0 || problem.conflicts.some(({ unknownResults }) => !unknownResults);
  return (
    <Alert color="yellow" role="alert" icon={<IconLock aria-hidden />} title="Another run is in the way">
      <Stack gap={6} align="flex-start">
        <ConflictList conflicts={problem.conflicts} hidden={problem.hiddenConflicts} />
        <Text>
          Nothing was started. {unknown && 'Open the run with the unknown result and say what became of its hosts. '}
          {others && `Wait for ${unknown ? 'the other' : 'it'} to finish, answer what it waits for, or cancel it. `}
          Then start again{onQueue ? ', or let this one wait for its turn.' : '.'}
        </Text>
        {onQueue && (
          <Button
            variant="default"
            loading={pending}
            onClick={onQueue}
            leftSection={<IconStack2 size={15} aria-hidden />}
          >
            Wait in the queue instead
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
