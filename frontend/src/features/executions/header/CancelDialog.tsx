import { Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useCancelExecution } from '../../../api/queries/runs/executions';
import type { Execution } from '../../../api/types';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog';

export function CancelDialog({ run, opened, onClose }: { run: Execution; opened: boolean; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const cancel = useCancelExecution(run.id);
  return (
    <ConfirmDialog
      opened={opened}
      title="Cancel this run?"
      confirm="Cancel run"
      cancel="Keep running"
      pending={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate(reason.trim(), { onSuccess: onClose })}
      onClose={onClose}
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
  );
}
