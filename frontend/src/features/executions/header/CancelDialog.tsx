import { Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useCancelExecution } from '../../../api/queries/runs/executions';
import type { Execution } from '../../../api/types';
import { ConfirmDialog } from '../../../ui/forms/ConfirmDialog';

export function CancelDialog({ run, opened, onClose }: { run: Execution; opened: boolean; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const cancel = useCancelExecution(run.id);
  return (
    <ConfirmDialog
      opened={opened}
      title="Cancel this run?"
      confirm="Cancel the run"
      cancel="Let it run"
      pending={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate(reason.trim(), { onSuccess: onClose })}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Text>
          Commands that run are asked to stop, then stopped. What they have changed already stays changed; hosts that
          have not begun are left alone.
        </Text>
        <TextInput
          label="Reason"
          description="Stands in the run and in the audit log."
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={2000}
        />
      </Stack>
    </ConfirmDialog>
  );
}
