import { Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { toProblem } from '../../api/errors';
import { ErrorPanel } from '../feedback/ErrorPanel';
import { ConfirmDialog } from '../dialogs/ConfirmDialog';
import { MessageField } from './MessageField';

/** Mutation that restores a revision and returns the changed record. */
export interface RestoreMutation {
  mutate: (
    request: { revision: number; message: string },
    ends: { onSuccess: (saved: { revision: number }) => void },
  ) => void;
  reset: () => void;
  isPending: boolean;
  error: unknown;
}

interface Props {
  /** Number of the revision; null = the dialog is closed. */
  revision: number | null;
  name: string;
  restoreMutation: RestoreMutation;
  onClose: () => void;
  onRestored: () => void;
}

export function RestoreDialog({ revision, name, restoreMutation, onClose, onRestored }: Props) {
  const [message, setMessage] = useState('');
  const close = () => {
    restoreMutation.reset();
    setMessage('');
    onClose();
  };
  const confirm = () => {
    if (revision === null) return;
    restoreMutation.mutate(
      { revision, message },
      {
        onSuccess: (saved) => {
          notifications.show({
            color: 'green',
            message: `Restored revision ${revision} as revision ${saved.revision}.`,
          });
          close();
          onRestored();
        },
      },
    );
  };
  const stale = toProblem(restoreMutation.error).code === 'version_mismatch';
  return (
    <ConfirmDialog
      opened={revision !== null}
      title={`Restore revision ${revision ?? ''} of ${name}?`}
      confirm={`Restore revision ${revision ?? ''}`}
      cancel="Cancel"
      color="iris"
      pending={restoreMutation.isPending}
      error={stale ? null : restoreMutation.error}
      onConfirm={confirm}
      onClose={close}
    >
      <Stack gap="sm">
        <Text>
          Creates a new revision with the content of that one. Earlier revisions and started runs do not change.
        </Text>
        <MessageField value={message} onChange={setMessage} disabled={restoreMutation.isPending} />
        {stale && (
          <ErrorPanel
            error={restoreMutation.error}
            title="Someone else saved a new revision. Review it in the list, then restore again if you still want to."
          />
        )}
      </Stack>
    </ConfirmDialog>
  );
}
