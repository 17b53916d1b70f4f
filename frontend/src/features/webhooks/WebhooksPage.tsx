import { Alert, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconMailOff, IconPlus, IconWebhook } from '@tabler/icons-react';
import { meQuery } from '../../api/queries/access/session';
import { webhooksQuery } from '../../api/queries/automation/webhooks';
import type { Webhook } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { plural } from '../../ui/format/format';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { SearchField } from '../../ui/forms/SearchField';
import { AnchorLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { Badge } from '../../ui/status/Badge';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { listState } from '../../ui/tables/list-state';
import { eventsSummary } from './events';
import { webhookStyle } from './webhook-state';
import { WebhookDialog } from './WebhookDialog';
import { ActionButton } from '../../ui/page/ActionButton';

const route = getRouteApi('/app/webhooks');

const COLUMNS: Column<Webhook>[] = [
  {
    key: 'name',
    title: 'Name',
    render: ({ id, name, url }) => (
      <Stack gap={0}>
        <AnchorLink to="/webhooks/$id" params={{ id }} search={{}} fw={550} className="rw-wrap-anywhere">
          {name}
        </AnchorLink>
        <Text size="xs" c="dimmed" className="rw-wrap-anywhere">
          {new URL(url).host}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'state',
    title: 'State',
    render: (webhook) => {
      const { tone, icon, label } = webhookStyle(webhook);
      return (
        <Badge tone={tone} icon={icon}>
          {label}
        </Badge>
      );
    },
  },
  { key: 'events', title: 'Events', from: 'md', render: ({ events }) => eventsSummary(events) },
  {
    key: 'waiting',
    title: 'Waiting, dead',
    from: 'sm',
    width: 130,
    render: ({ pending, dead }) => `${cappedCount(pending)}, ${cappedCount(dead)}`,
  },
  {
    key: 'delivered',
    title: 'Last delivered',
    from: 'sm',
    width: 140,
    render: ({ lastDeliveredAt }) => <RelativeTime at={lastDeliveredAt} never="Never" />,
  },
];

/** The server stops counting at 1000. */
const cappedCount = (count: number): string => (count >= 1000 ? '1000+' : String(count));

const OWNER: Column<Webhook> = { key: 'owner', title: 'Owner', from: 'lg', render: ({ owner }) => owner.name };

export function WebhooksPage() {
  const { q, open } = route.useSearch();
  const navigate = useNavigate({ from: '/webhooks' });
  const { data: me } = useQuery(meQuery);
  const webhooks = listState(useInfiniteQuery(webhooksQuery(q)));
  const broken = (webhooks.rows ?? []).filter(({ disabled }) => disabled !== null && disabled.reason.code !== 'person');
  const show = (what: 'new' | undefined) =>
    void navigate({ search: (search) => ({ ...search, open: what }), replace: what === undefined });
  const create = (
    <ActionButton role="operator" icon={IconPlus} variant="filled" onClick={() => show('new')}>
      New webhook
    </ActionButton>
  );
  return (
    <>
      <PageHeader title="Webhooks" description="Send signed messages about events to other systems." actions={create} />
      {broken.length > 0 && (
        <Alert
          color="red"
          mb="md"
          icon={<IconMailOff aria-hidden />}
          title={`${plural(broken.length, 'webhook was', 'webhooks were')} disabled`}
        >
          {broken.map(({ id, name, disabled }) => (
            <Text key={id}>
              <AnchorLink to="/webhooks/$id" params={{ id }} search={{}} underline="always">
                {name}
              </AnchorLink>
              : {disabled?.reason.text}
            </Text>
          ))}
        </Alert>
      )}
      <Group mb="md">
        <SearchField
          label="Search webhooks"
          value={q ?? ''}
          onChange={(value) => void navigate({ search: { q: value || undefined }, replace: true })}
        />
      </Group>
      <DataTable
        label="Webhooks"
        list={webhooks}
        columns={me?.role === 'admin' ? [...COLUMNS, OWNER] : COLUMNS}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={IconWebhook}
            title={q ? 'No webhooks match this search' : 'No webhooks yet'}
            action={q ? undefined : create}
          >
            Webhooks send events to chats, dashboards or pipelines, without polling.
          </EmptyState>
        }
      />
      {open === 'new' && (
        <WebhookDialog
          onSaved={({ id }) => void navigate({ to: '/webhooks/$id', params: { id }, search: {} })}
          onClose={() => show(undefined)}
        />
      )}
    </>
  );
}
