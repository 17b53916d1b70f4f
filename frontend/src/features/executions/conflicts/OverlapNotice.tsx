import { Alert, Stack, Text } from '@mantine/core';
import { IconLock, IconStack2 } from '@tabler/icons-react';
import type { ApiProblem } from '../../../api/errors';
import { ConflictList } from './ConflictList';
import { ActionButton } from '../../../ui/page/ActionButton';

interface Props {
  problem: ApiProblem;
  /** Starts the run in the queue; undefined = not possible. */
  onQueue?: () => void;
  pending?: boolean;
}

export function OverlapNotice({ problem, onQueue, pending = false }: Props) {
  const unknown = problem.conflicts.some(({ unknownResults }) => unknownResults);
  const others = problem.hiddenConflicts > 0 || problem.conflicts.some(({ unknownResults }) => !unknownResults);
  return (
    <Alert color="yellow" role="alert" icon={<IconLock aria-hidden />} title="Conflicting runs">
      <Stack gap={6} align="flex-start">
        <ConflictList conflicts={problem.conflicts} hidden={problem.hiddenConflicts} />
        <Text>
          Nothing was started. {unknown && 'Open the run with the unknown result and resolve its hosts. '}
          {others &&
            `Wait until ${unknown ? 'the other run' : 'the run'} finishes, answer its decision, or cancel it. `}
          Then start again{onQueue ? ', or wait in the queue.' : '.'}
        </Text>
        {onQueue && (
          <ActionButton icon={IconStack2} loading={pending} onClick={onQueue}>
            Wait in the queue
          </ActionButton>
        )}
      </Stack>
    </Alert>
  );
}
