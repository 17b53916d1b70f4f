import { Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconKey, IconPencil, IconSend, IconShieldCheck, IconTrash } from '@tabler/icons-react';
import { useDeleteWebhook, useReplayDead, useTestWebhook, webhookQuery } from '../../api/queries/automation/webhooks';
import type { Webhook } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog';
import { DeleteDialog } from '../../ui/dialogs/DeleteDialog';
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
import { ActionButton } from '../../ui/page/ActionButton';
import { UnloadedPage } from '../../ui/page/UnloadedPage';

const route = getRouteApi('/app/webhooks/$id');

export function WebhookPage() {
  const { id } = route.useParams();
  const webhook = useQuery(webhookQuery(id));
  if (webhook.data) return <WebhookView key={id} webhook={webhook.data} />;
  return <UnloadedPage title="Webhook" query={webhook} />;
}

type OpenDialog = 'edit' | 'delete' | 'verify' | 'rotate' | 'replay' | undefined;

function WebhookView({ webhook }: { webhook: Webhook }) {
  const { open, state, delivery } = route.useSearch();
  const navigate = useNavigate({ from: '/webhooks/$id' });
  const test = useTestWebhook();
  const remove = useDeleteWebhook();
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
        actions={<WebhookActions webhook={webhook} test={test} onOpen={show} onSent={showDelivery} />}
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
      <ReplayDialog webhook={webhook} opened={open === 'replay'} onClose={close} />
      <DeleteDialog
        record={open === 'delete' ? webhook : null}
        name={webhook.name}
        confirm="Delete webhook"
        remove={remove}
        onDeleted={() => void navigate({ to: '/webhooks', search: {} })}
        onClose={close}
      >
        Deletes its deliveries, including waiting ones. The receiver is not notified.
      </DeleteDialog>
    </>
  );
}

interface ActionsProps {
  webhook: Webhook;
  test: ReturnType<typeof useTestWebhook>;
  onOpen: (what: OpenDialog) => void;
  /** Called with the ID of the delivery of the test message. */
  onSent: (id: string) => void;
}

function WebhookActions({ webhook, test, onOpen, onSent }: ActionsProps) {
  return (
    <>
      <ActionButton
        role="operator"
        icon={IconSend}
        variant="filled"
        loading={test.isPending}
        onClick={() => test.mutate(webhook, { onSuccess: ({ id }) => onSent(id) })}
      >
        Send test message
      </ActionButton>
      <ActionButton role="operator" icon={IconPencil} onClick={() => onOpen('edit')}>
        Edit
      </ActionButton>
      <ActionButton role="operator" icon={IconKey} onClick={() => onOpen('rotate')}>
        Rotate secret
      </ActionButton>
      <ActionButton icon={IconShieldCheck} onClick={() => onOpen('verify')}>
        Verify signatures
      </ActionButton>
      <ActionButton role="operator" icon={IconTrash} onClick={() => onOpen('delete')}>
        Delete
      </ActionButton>
    </>
  );
}

function ReplayDialog({ webhook, opened, onClose }: { webhook: Webhook; opened: boolean; onClose: () => void }) {
  const replay = useReplayDead();
  return (
    <ConfirmDialog
      opened={opened}
      title="Replay dead deliveries?"
      confirm="Replay"
      color="blue"
      pending={replay.isPending}
      error={replay.error}
      onConfirm={() => replay.mutate(webhook, { onSuccess: onClose })}
      onClose={() => {
        replay.reset();
        onClose();
      }}
    >
      Sends the oldest 1,000 dead deliveries again, in order and with their original IDs. The receiver may already have
      processed some of them.
    </ConfirmDialog>
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
