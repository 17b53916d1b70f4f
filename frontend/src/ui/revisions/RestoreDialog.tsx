import { Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { toProblem } from '../../api/errors';
import { ErrorPanel } from '../feedback/ErrorPanel';
import { ConfirmDialog } from '../forms/ConfirmDialog';
import { MessageField } from './MessageField';

/** The mutation that restores; what it gives is the record as it is then. */
export interface Restoring {
  mutate: (
    asked: { revision: number; message: string },
    ends: { onSuccess: (saved: { revision: number }) => void },
  ) => void;
  reset: () => void;
  isPending: boolean;
  error: unknown;
}

interface Props {
  /** Number of the revision; null: the dialog is closed. */
  revision: number | null;
  /** Of the record. */
  name: string;
  restoring: Restoring;
  onClose: () => void;
  onRestored: () => void;
}

/** Asks before an earlier revision becomes the latest again. */
export function RestoreDialog({ revision, name, restoring, onClose, onRestored }: Props) {
  const [message, setMessage] = useState('');
  const close = () => {
    restoring.reset();
    setMessage('');
    onClose();
  };
  const confirm = () => {
    if (revision === null) return;
    restoring.mutate(
      { revision, message },
      {
        onSuccess: (saved) => {
          notifications.show({
            color: 'green',
            message: `Revision ${revision} is restored; revision ${saved.revision} is the latest.`,
          });
          close();
          onRestored();
        },
      },
    );
  };
  const stale = toProblem(restoring.error).code === 'version_mismatch';
  return (
    <ConfirmDialog
      opened={revision !== null}
      title={`Restore revision ${revision ?? ''} of ${name}?`}
      confirm={`Restore revision ${revision ?? ''}`}
      cancel="Cancel"
      color="iris"
      pending={restoring.isPending}
      error={stale ? null : restoring.error}
      onConfirm={confirm}
      onClose={close}
    >
      <Stack gap="sm">
        <Text>
          A new revision with that content becomes the latest. No revision is lost, and runs that were started keep what
          they began with.
        </Text>
        <MessageField value={message} onChange={setMessage} disabled={restoring.isPending} />
        {stale && (
          <ErrorPanel
            error={restoring.error}
            title="Somebody else has saved meanwhile. The list has it now: restore again if you still want to."
          />
        )}
      </Stack>
    </ConfirmDialog>
  );
}
