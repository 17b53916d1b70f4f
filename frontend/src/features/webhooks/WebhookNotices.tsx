import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconMailOff, IconPlayerPause } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import { useAccess } from '../../access/useAccess';
import { useTakeOverWebhook, useUpdateWebhook } from '../../api/queries/automation/webhooks';
import type { Webhook } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { plural, shortTime } from '../../ui/format/format';
import { RelativeTime } from '../../ui/format/RelativeTime';

export function WebhookNotices({ webhook }: { webhook: Webhook }) {
  const update = useUpdateWebhook();
  const takeOver = useTakeOverWebhook();
  const { can } = useAccess();
  const { disabled, owner, failingSince, lastFailure, dropped, droppedAt, oldSecretUntil } = webhook;
  const disabledByPerson = disabled?.reason.code === 'person';
  return (
    <Stack gap="sm">
      {update.error && <ErrorPanel error={update.error} />}
      {takeOver.error && <ErrorPanel error={takeOver.error} />}
      {disabled && (
        <Alert
          color={disabledByPerson ? 'gray' : 'red'}
          icon={disabledByPerson ? <IconPlayerPause aria-hidden /> : <IconMailOff aria-hidden />}
          title={disabledByPerson ? 'Disabled' : `Disabled ${shortTime(disabled.at)}`}
        >
          <Stack gap="xs" align="flex-start">
            <Text>
              {disabled.reason.text} Events are not stored while the webhook is disabled. Deliveries that were waiting
              are dead; you can replay them.
              {!disabledByPerson && ' Send a test message, then enable it again.'}
            </Text>
            <Can role="operator">
              <Button
                variant="default"
                loading={update.isPending}
                onClick={() => update.mutate({ webhook, body: { enabled: true } })}
              >
                Enable
              </Button>
            </Can>
          </Stack>
        </Alert>
      )}
      {!owner.maySend && (
        <Alert color="red" icon={<IconMailOff aria-hidden />} title="Owner no longer active">
          <Stack gap="xs" align="flex-start">
            <Text>
              {owner.name} was disabled, removed or made a viewer. The webhook sends nothing.{' '}
              {can('admin')
                ? 'Become the owner of this webhook. It then sends the events that you can view.'
                : 'An admin can take over the webhook.'}
            </Text>
            {can('admin') && (
              <Button variant="default" loading={takeOver.isPending} onClick={() => takeOver.mutate(webhook)}>
                Take over
              </Button>
            )}
          </Stack>
        </Alert>
      )}
      {failingSince !== null && disabled === null && (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Deliveries fail">
          <Text>
            Since <RelativeTime at={failingSince} />. {lastFailure?.reason.text} Runward retries each delivery for a
            day. After a week without success, the webhook is disabled.
          </Text>
        </Alert>
      )}
      {dropped > 0 && (
        <Alert
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title={`${plural(dropped, 'event was', 'events were')} dropped`}
        >
          <Text>
            The limit of 20,000 waiting deliveries was reached, last <RelativeTime at={droppedAt} />. Dropped events are
            not delivered.
          </Text>
        </Alert>
      )}
      {oldSecretUntil !== null && (
        <Group>
          <Text c="dimmed">The previous secret is valid until {shortTime(oldSecretUntil)}.</Text>
        </Group>
      )}
    </Stack>
  );
}
