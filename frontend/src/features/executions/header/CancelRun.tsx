import { Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBan } from '@tabler/icons-react';
import { useState } from 'react';
import { useCancelExecution } from '../../../api/queries/runs/executions';
import type { Execution } from '../../../api/types';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog';
import { ActionButton } from '../../../ui/page/ActionButton';
import { useRunObstacle } from '../run/useRunObstacle';

/** Button that asks before it cancels the run. */
export function CancelRun({ run }: { run: Execution }) {
  const [opened, { open, close }] = useDisclosure();
  const [reason, setReason] = useState('');
  const obstacle = useRunObstacle(run);
  const cancel = useCancelExecution(run.id);
  return (
    <>
      <ActionButton role="viewer" unless={obstacle} icon={IconBan} onClick={open} loading={run.status === 'CANCELLING'}>
        Cancel
      </ActionButton>
      <ConfirmDialog
        opened={opened}
        title="Cancel this run?"
        confirm="Cancel run"
        cancel="Keep running"
        pending={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate(reason.trim(), { onSuccess: close })}
        onClose={close}
      >
        <Stack gap="sm">
          <Text>
            Running commands are asked to stop, then killed. Changes they have made are not undone. Hosts that have not
            started are not touched.
          </Text>
          <TextInput
            label="Reason"
            description="Shown on the run and in the audit trail."
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            maxLength={2000}
          />
        </Stack>
      </ConfirmDialog>
    </>
  );
}
