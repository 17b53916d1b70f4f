import { Button, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useCancelExecutions } from '../../api/queries/runs/executions';
import type { CancelRunsRequest } from '../../api/types';
import { plural } from '../../ui/format/format';
import { ConfirmDialog } from '../../ui/forms/ConfirmDialog';

/** Cancels all unfinished runs that match the filters of the list. */
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
          const further = more ? ' Further runs match: cancel once more to reach them.' : '';
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
        confirm="Cancel the runs"
        cancel="Keep the runs"
        pending={cancel.isPending}
        error={cancel.error}
        onConfirm={confirm}
        onClose={close}
      >
        <Stack gap="sm">
          <Text>
            Every unfinished run that matches the filters of this list is cancelled, 100 at a time, the newest first.
            Running commands are stopped; what they have changed stays changed.
          </Text>
          <TextInput
            label="Reason"
            description="Shown on each run and in the audit log."
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            maxLength={2000}
          />
        </Stack>
      </ConfirmDialog>
    </>
  );
}
