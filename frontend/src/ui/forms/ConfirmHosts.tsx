import { Button, Group } from '@mantine/core';
import { Can } from '../../access/Can';
interface Props {
  /** Problem of the refused save; null = not refused. */
  problem: { code: string | null } | null;
  pending: boolean;
  label?: string;
  onConfirm: () => void;
}

/** Button with which admins confirm hosts that were proved in another environment. */
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
