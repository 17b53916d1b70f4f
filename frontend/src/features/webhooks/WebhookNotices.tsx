import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconMailOff, IconPlayerPause } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import { useAccess } from '../../access/useAccess';
import { useTakeOverWebhook, useUpdateWebhook } from '../../api/queries/automation/webhooks';
import type { Webhook } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { plural, shortTime } from '../../ui/format/format';
import { RelativeTime } from '../../ui/format/RelativeTime';

/** What keeps a webhook from being told, and what to do about it. */
export function WebhookNotices({ webhook }: { webhook: Webhook }) {
  const update = useUpdateWebhook();
  const takeOver = useTakeOverWebhook();
  const { can } = useAccess();
  const { disabled, owner, failingSince, lastFailure, dropped, droppedAt, oldSecretUntil } = webhook;
  const byPerson = disabled?.code === 'person';
  return (
    <Stack gap="sm">
      {update.error && <ErrorPanel error={update.error} />}
      {takeOver.error && <ErrorPanel error={takeOver.error} />}
      {disabled && (
        <Alert
          color={byPerson ? 'gray' : 'red'}
          icon={byPerson ? <IconPlayerPause aria-hidden /> : <IconMailOff aria-hidden />}
          title={byPerson ? 'Switched off' : `Disabled ${shortTime(disabled.at)}`}
        >
          <Stack gap="xs" align="flex-start">
            <Text>
              {disabled.text} Nothing is kept for it meanwhile; what had waited is dead and can be replayed.
              {!byPerson && ' Send a test, then enable it again.'}
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
        <Alert color="red" icon={<IconMailOff aria-hidden />} title="Its owner is gone">
          <Stack gap="xs" align="flex-start">
            <Text>
              {owner.name} is disabled, removed or a viewer by now, so nothing is sent.{' '}
              {can('admin') ? 'Take it over, and it is told of what you may see.' : 'An admin can take it over.'}
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
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Nothing gets through">
          <Text>
            Since <RelativeTime at={failingSince} />. {lastFailure?.message} It is tried again for a day; after a week
            in which nothing gets through, the webhook is disabled.
          </Text>
        </Alert>
      )}
      {dropped > 0 && (
        <Alert
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title={`${plural(dropped, 'event was', 'events were')} not kept`}
        >
          <Text>
            20,000 deliveries waited already, last <RelativeTime at={droppedAt} />. They are lost to this webhook.
          </Text>
        </Alert>
      )}
      {oldSecretUntil !== null && (
        <Group>
          <Text c="dimmed">The secret before signs too until {shortTime(oldSecretUntil)}.</Text>
        </Group>
      )}
    </Stack>
  );
}
