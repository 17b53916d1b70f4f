import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useRotateWebhookSecret } from '../../api/queries/automation/webhooks';
import type { Webhook } from '../../api/types';
import { SecretOnce } from '../../ui/copy/SecretOnce';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { shortTime } from '../../ui/format/format';
import { FormModal } from '../../ui/forms/FormOverlay';

/** Makes a new secret and shows it once. */
export function RotateSecretDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const rotate = useRotateWebhookSecret();
  const secret = rotate.data?.secret;
  const [endsOld, setEndsOld] = useState(false);
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
          <Text>For 24 hours the secret before signs too: give the receiver the new one within that time.</Text>
        </SecretOnce>
      ) : (
        <Stack gap="md">
          <Text>
            Messages are signed with a new secret from now on, and with the present one too for 24 hours, so that the
            receiver misses nothing while it is changed.
          </Text>
          {oldSecretUntil !== null && (
            <>
              <Text>
                The secret before it signs until {shortTime(oldSecretUntil)}. Another new one ends that now: a receiver
                that knows only the oldest one refuses what comes.
              </Text>
              <Checkbox
                label="End the oldest secret now"
                checked={endsOld}
                onChange={(event) => setEndsOld(event.currentTarget.checked)}
              />
            </>
          )}
          {rotate.error && <ErrorPanel error={rotate.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button
              loading={rotate.isPending}
              disabled={oldSecretUntil !== null && !endsOld}
              onClick={() => rotate.mutate({ webhook, endOldSecret: endsOld })}
            >
              Make a new secret
            </Button>
          </Group>
        </Stack>
      )}
    </FormModal>
  );
}
