import { Button, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconKey, IconPencil, IconSend, IconShieldCheck, IconTrash } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import { useDeleteWebhook, useReplayDead, useTestWebhook, webhookQuery } from '../../api/queries/automation/webhooks';
import type { Webhook } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { PageSkeleton } from '../../ui/feedback/Skeletons';
import { ConfirmDialog } from '../../ui/forms/ConfirmDialog';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { Fact } from '../../ui/page/Fact';
import { AnchorLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { Badge } from '../../ui/status/Badge';
import { DeliveriesTable } from './DeliveriesTable';
import { DeliveryDialog } from './DeliveryDialog';
import { RotateSecretDialog } from './RotateSecretDialog';
import { VerifyDialog } from './VerifyDialog';
import { webhookStyle } from './webhook-state';
import { WebhookDialog } from './WebhookDialog';
import { WebhookNotices } from './WebhookNotices';

const route = getRouteApi('/app/webhooks/$id');

export function WebhookPage() {
  const { id } = route.useParams();
  const webhook = useQuery(webhookQuery(id));
  if (webhook.data) return <WebhookView key={id} webhook={webhook.data} />;
  if (!webhook.error) return <PageSkeleton />;
  return (
    <>
      <PageHeader title="Webhook" />
      <ErrorPanel error={webhook.error} onRetry={() => void webhook.refetch()} />
    </>
  );
}

type OpenDialog = 'edit' | 'delete' | 'verify' | 'rotate' | 'replay' | undefined;

function WebhookView({ webhook }: { webhook: Webhook }) {
  const { open, state, delivery } = route.useSearch();
  const navigate = useNavigate({ from: '/webhooks/$id' });
  const test = useTestWebhook();
  const remove = useDeleteWebhook();
  const replay = useReplayDead();
  const show = (what: OpenDialog) =>
    void navigate({ search: (search) => ({ ...search, open: what }), replace: what === undefined });
  const showDelivery = (id: string | undefined) =>
    void navigate({ search: (search) => ({ ...search, delivery: id }), replace: id === undefined });
  const close = () => show(undefined);
  const { tone, icon, label } = webhookStyle(webhook);
  return (
    <>
      <PageHeader
        title={webhook.name}
        above={
          <AnchorLink to="/webhooks" search={{}} size="xs">
            Webhooks
          </AnchorLink>
        }
        badge={
          <span data-testid="webhook-state">
            <Badge tone={tone} icon={icon}>
              {label}
            </Badge>
          </span>
        }
        actions={
          <>
            <Can role="operator">
              <Button
                leftSection={<IconSend size={15} aria-hidden />}
                loading={test.isPending}
                onClick={() => test.mutate(webhook, { onSuccess: ({ id }) => showDelivery(id) })}
              >
                Send test message
              </Button>
            </Can>
            <Can role="operator">
              <Button variant="default" leftSection={<IconPencil size={15} aria-hidden />} onClick={() => show('edit')}>
                Edit
              </Button>
            </Can>
            <Can role="operator">
              <Button variant="default" leftSection={<IconKey size={15} aria-hidden />} onClick={() => show('rotate')}>
                Rotate secret
              </Button>
            </Can>
            <Button
              variant="default"
              leftSection={<IconShieldCheck size={15} aria-hidden />}
              onClick={() => show('verify')}
            >
              Verify signatures
            </Button>
            <Can role="operator">
              <Button
                variant="default"
                leftSection={<IconTrash size={15} aria-hidden />}
                onClick={() => show('delete')}
              >
                Delete
              </Button>
            </Can>
          </>
        }
      />
      <Stack gap="md">
        {test.error && <ErrorPanel error={test.error} />}
        <WebhookNotices webhook={webhook} />
        <WebhookFacts webhook={webhook} />
        <DeliveriesTable
          webhook={webhook}
          state={state}
          onState={(next) => void navigate({ search: { state: next }, replace: true })}
          onOpen={showDelivery}
          onReplayDead={() => show('replay')}
        />
      </Stack>
      {open === 'edit' && <WebhookDialog webhook={webhook} onSaved={close} onClose={close} />}
      {open === 'verify' && <VerifyDialog onClose={close} />}
      {open === 'rotate' && <RotateSecretDialog webhook={webhook} onClose={close} />}
      {delivery !== undefined && (
        <DeliveryDialog webhook={webhook} id={delivery} onClose={() => showDelivery(undefined)} />
      )}
      <ConfirmDialog
        opened={open === 'replay'}
        title="Replay dead deliveries?"
        confirm="Replay"
        color="blue"
        pending={replay.isPending}
        error={replay.error}
        onConfirm={() => replay.mutate(webhook, { onSuccess: close })}
        onClose={() => {
          replay.reset();
          close();
        }}
      >
        Sends the oldest 1,000 dead deliveries again, in order and with their original IDs. The receiver may already
        have processed some of them.
      </ConfirmDialog>
      <ConfirmDialog
        opened={open === 'delete'}
        title={`Delete ${webhook.name}?`}
        confirm="Delete webhook"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(webhook, { onSuccess: () => void navigate({ to: '/webhooks', search: {} }) })}
        onClose={() => {
          remove.reset();
          close();
        }}
      >
        Deletes its deliveries, including waiting ones. The receiver is not notified.
      </ConfirmDialog>
    </>
  );
}

function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { url, events, environmentIds, environments, owner, lastDeliveredAt } = webhook;
  const gone = environments.filter(({ name }) => name === null).length;
  const names = environments.flatMap(({ name }) => name ?? []);
  return (
    <Paper component="section" aria-label="Webhook" p="md">
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
        <Fact label="URL">
          <span className="rw-mono rw-wrap-anywhere">{url}</span>
        </Fact>
        <Fact label="Events">
          <Text className="rw-mono rw-wrap-anywhere" component="span">
            {events.join(', ')}
          </Text>
        </Fact>
        <Fact label="In">
          {environmentIds === null ? 'All environments that the owner can view' : names.join(', ')}
          {gone > 0 && (
            <Text c="dimmed" size="xs">
              {gone} of its environments {gone === 1 ? 'is' : 'are'} deleted.
            </Text>
          )}
        </Fact>
        <Fact label="Owner">
          {owner.name}
          <Text c="dimmed" size="xs">
            Delivers only events that its owner can view.
          </Text>
        </Fact>
        <Fact label="Last delivered">
          <RelativeTime at={lastDeliveredAt} never="Never" />
        </Fact>
      </SimpleGrid>
    </Paper>
  );
}
