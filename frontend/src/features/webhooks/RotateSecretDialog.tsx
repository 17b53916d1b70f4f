import { Button, Checkbox, Stack, Text } from '@mantine/core';
import { DialogBar } from '../../ui/dialogs/DialogBar';
import { useState } from 'react';
import { useRotateWebhookSecret } from '../../api/queries/automation/webhooks';
import type { Webhook } from '../../api/types';
import { SecretOnce } from '../../ui/copy/SecretOnce';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { shortTime } from '../../ui/format/format';
import { FormModal } from '../../ui/forms/FormOverlay';

export function RotateSecretDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const rotate = useRotateWebhookSecret();
  const secret = rotate.data?.secret;
  const [endsOldSecret, setEndsOldSecret] = useState(false);
  const { oldSecretUntil } = webhook;
  return (
    <FormModal
      opened
      onClose={onClose}
      title={`New secret for ${webhook.name}`}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={secret === undefined}
      withCloseButton={secret === undefined}
    >
      {secret !== undefined ? (
        <SecretOnce what="signing secret" value={secret} onDone={onClose}>
          <Text>The previous secret stays valid for 24 hours. Update the receiver before then.</Text>
        </SecretOnce>
      ) : (
        <Stack gap="md">
          <Text>
            Runward signs messages with the new secret, and for 24 hours also with the current one. Update the receiver
            within that time.
          </Text>
          {oldSecretUntil !== null && (
            <>
              <Text>
                The previous secret is valid until {shortTime(oldSecretUntil)}. Creating another secret ends its
                validity now. Receivers that only know the previous secret will refuse messages.
              </Text>
              <Checkbox
                label="End validity of the previous secret now"
                checked={endsOldSecret}
                onChange={(event) => setEndsOldSecret(event.currentTarget.checked)}
              />
            </>
          )}
          {rotate.error && <ErrorPanel error={rotate.error} />}
          <DialogBar>
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button
              loading={rotate.isPending}
              disabled={oldSecretUntil !== null && !endsOldSecret}
              onClick={() => rotate.mutate({ webhook, endOldSecret: endsOldSecret })}
            >
              Create new secret
            </Button>
          </DialogBar>
        </Stack>
      )}
    </FormModal>
  );
}
