import { Button, Stack, Text, Textarea } from '@mantine/core';
import { DialogBar } from '../../../ui/dialogs/DialogBar';
import { useState } from 'react';
import { useGiveUpRotation } from '../../../api/queries/inventory/key-rotations';
import type { RotationHost } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { RotationError } from './RotationError';

interface Props {
  id: string;
  /** Null: all failed hosts. */
  host: RotationHost | null;
  failed: number;
  onClose: () => void;
}

export function GiveUpDialog({ id, host, failed, onClose }: Props) {
  const giveUp = useGiveUpRotation(id);
  const [comment, setComment] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const reason = comment.trim();
  const submit = () => {
    setIsMissing(reason === '');
    if (reason === '') return;
    giveUp.mutate({ serverIds: host ? [host.serverId] : undefined, comment: reason }, { onSuccess: onClose });
  };
  return (
    <FormModal opened onClose={onClose} title={host ? `Give up ${host.name}?` : `Give up ${plural(failed, 'host')}?`}>
      <Stack gap="md">
        <Text>
          Runward makes no more changes on {host ? 'this host' : 'these hosts'}. A server that still uses the old key
          keeps it. If the server already uses the new key, the old public key may still be on the host: remove it
          manually.
        </Text>
        <Textarea
          label="Reason"
          description="Shown in the audit trail."
          withAsterisk
          error={isMissing && reason === '' ? 'Enter a reason.' : undefined}
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
          autosize
          minRows={2}
          maxRows={6}
          maxLength={500}
          data-autofocus
        />
        {Boolean(giveUp.error) && <RotationError error={giveUp.error} />}
        <DialogBar>
          <Button variant="default" onClick={onClose} disabled={giveUp.isPending}>
            Cancel
          </Button>
          <Button color="red" loading={giveUp.isPending} onClick={submit}>
            Give up
          </Button>
        </DialogBar>
      </Stack>
    </FormModal>
  );
}
