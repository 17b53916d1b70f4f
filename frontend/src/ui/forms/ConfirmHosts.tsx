import { Button, Group } from '@mantine/core';
import { Can } from '../../access/Can';
interface Props {
  /** Why nothing was saved; null: it was not refused. */
  problem: { code: string | null } | null;
  pending: boolean;
  label?: string;
  onConfirm: () => void;
}

/** Lets an admin confirm hosts that were proved in another environment. */
export function ConfirmHosts({ problem, pending, label = 'Confirm hosts and save', onConfirm }: Props) {
  if (problem?.code !== 'host_proved_elsewhere') return null;
  return (
    <Group justify="flex-end">
      <Can role="admin">
        <Button variant="default" loading={pending} onClick={onConfirm}>
          {label}
        </Button>
      </Can>
    </Group>
  );
}
