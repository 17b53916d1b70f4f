import { Button, Group } from '@mantine/core';
import { Can } from '../../access/Can';
import type { ApiProblem } from '../../api/errors';

interface Props {
  /** Why nothing was saved; null: it was not refused. */
  problem: ApiProblem | null;
  pending: boolean;
  onConfirm: () => void;
}

/** Lets an admin confirm hosts that were proved in another environment. */
export function ConfirmHosts({ problem, pending, onConfirm }: Props) {
  if (problem?.code !== 'host_proved_elsewhere') return null;
  return (
    <Group justify="flex-end">
      <Can role="admin">
        <Button variant="default" loading={pending} onClick={onConfirm}>
          Confirm hosts and save
        </Button>
      </Can>
    </Group>
  );
}
