import { Button, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useCancelExecutions } from '../../api/queries/runs/executions';
import type { CancelRunsRequest } from '../../api/types';
import { plural } from '../../ui/format/format';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog';

export function CancelRuns({ filters }: { filters: Omit<CancelRunsRequest, 'reason'> }) {
  const [opened, setOpened] = useState(false);
  const [reason, setReason] = useState('');
  const cancel = useCancelExecutions();
  const close = () => {
    setOpened(false);
    cancel.reset();
  };
  const confirm = () =>
    cancel.mutate(
      { ...filters, ...(reason.trim() ? { reason: reason.trim() } : {}) },
      {
        onSuccess: ({ cancelled, more }) => {
          close();
          const further = more ? ' More runs match. Cancel again to include them.' : '';
          notifications.show({ message: `Cancelled ${plural(cancelled.length, 'run')}.${further}` });
        },
      },
    );
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpened(true)}>
        Cancel matching runs…
      </Button>
      <ConfirmDialog
        opened={opened}
        title="Cancel all unfinished runs that match?"
        confirm="Cancel runs"
        cancel="Keep runs"
        pending={cancel.isPending}
        error={cancel.error}
        onConfirm={confirm}
        onClose={close}
      >
        <Stack gap="sm">
          <Text>
            Cancels unfinished runs that match the filters of this list: the newest 100 at a time. Running commands are
            stopped. Changes they have made are not undone.
          </Text>
          <TextInput
            label="Reason"
            description="Shown on each run and in the audit trail."
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            maxLength={2000}
          />
        </Stack>
      </ConfirmDialog>
    </>
  );
}
