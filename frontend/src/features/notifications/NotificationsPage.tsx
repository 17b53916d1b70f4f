import { Alert, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconBell, IconPlus } from '@tabler/icons-react';
import { notificationRulesQuery } from '../../api/queries/automation/notifications';
import type { NotificationRule } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { plural } from '../../ui/format/format';
import { SearchField } from '../../ui/forms/SearchField';
import { AnchorLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { listState } from '../../ui/tables/list-state';
import { channelInWords, channelLabel, hasRecipients } from './channels';
import { DeliveryBadge } from './DeliveryBadge';
import { OperatorOnly } from './OperatorOnly';
import { RuleDialog } from './RuleDialog';
import { ActionButton } from '../../ui/page/ActionButton';

const TITLE = 'Notifications';
const route = getRouteApi('/app/notifications');

const COLUMNS: Column<NotificationRule>[] = [
  {
    key: 'name',
    title: 'Rule',
    render: ({ id, name, enabled, owner }) => (
      <Stack gap={0}>
        <AnchorLink to="/notifications/$id" params={{ id }} search={{}} fw={550} className="rw-wrap-anywhere">
          {name}
        </AnchorLink>
        {!enabled && (
          <Text size="xs" c="dimmed">
            Disabled
          </Text>
        )}
        {!owner?.active && (
          <Text size="xs" c="orange">
            {owner?.name ?? 'The owner'} is no longer active: save the rule to become the owner
          </Text>
        )}
      </Stack>
    ),
  },
  {
    key: 'channel',
    title: 'Channel',
    from: 'xs',
    render: (rule) => (
      <Stack gap={0}>
        <Text>{channelLabel(rule.channel.type)}</Text>
        <Text size="xs" c="dimmed" lineClamp={2} className="rw-wrap-anywhere">
          {channelInWords(rule)}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'events',
    title: 'Events',
    from: 'md',
    width: 190,
    render: ({ events, environmentIds, hiddenEnvironments }) => (
      <Stack gap={0}>
        <Text>{plural(events.length, 'event')}</Text>
        <Text size="xs" c="dimmed">
          {environmentIds === null
            ? 'in all environments'
            : `in ${plural(environmentIds.length + hiddenEnvironments, 'environment')}`}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'last',
    title: 'Latest message',
    render: ({ lastDelivery }) =>
      lastDelivery === null ? (
        <Text c="dimmed">None yet</Text>
      ) : (
        <Stack gap={2} align="flex-start">
          <Group gap="xs">
            <DeliveryBadge delivery={lastDelivery} />
            <RelativeTime at={lastDelivery.createdAt} />
          </Group>
          {lastDelivery.reason !== null && (
            <Text size="xs" c="dimmed" lineClamp={2} className="rw-wrap-anywhere">
              {lastDelivery.reason.text}
            </Text>
          )}
        </Stack>
      ),
  },
];

export function NotificationsPage() {
  return (
    <OperatorOnly title={TITLE}>
      <Rules />
    </OperatorOnly>
  );
}

function Rules() {
  const { q, open } = route.useSearch();
  const navigate = useNavigate({ from: '/notifications' });
  const rules = useInfiniteQuery(notificationRulesQuery(q));
  const show = (what: 'new' | undefined) =>
    void navigate({ search: (search) => ({ ...search, open: what }), replace: what === undefined });
  const mailConfigured = rules.data?.pages[0]?.mailConfigured ?? true;
  const mails =
    rules.data?.pages.some(({ items }) => items.some(({ channel }) => hasRecipients(channel.type))) ?? false;
  const create = (
    <ActionButton icon={IconPlus} variant="filled" onClick={() => show('new')}>
      New rule
    </ActionButton>
  );
  return (
    <>
      <PageHeader
        title={TITLE}
        description="Send messages when runs wait, fail or recover. A rule covers environments that its owner, the last member who saved it, can view."
        actions={create}
      />
      {!mailConfigured && mails && (
        <Alert color="yellow" mb="md" title="E-mail is not configured">
          Set RUNWARD_SMTP_URL and RUNWARD_SMTP_FROM on the server.
        </Alert>
      )}
      <Group mb="md">
        <SearchField
          label="Search rules"
          value={q ?? ''}
          onChange={(value) => void navigate({ search: { q: value || undefined }, replace: true })}
        />
      </Group>
      <DataTable
        label="Notification rules"
        list={listState(rules)}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={IconBell}
            title={q ? 'No notification rules match this search' : 'No notification rules yet'}
            action={q ? undefined : create}
          >
            Create a rule to notify people by e-mail, chat or phone when a run waits or fails.
          </EmptyState>
        }
      />
      {open === 'new' && (
        <RuleDialog
          mailConfigured={mailConfigured}
          onSaved={({ id }) => void navigate({ to: '/notifications/$id', params: { id }, search: {} })}
          onClose={() => show(undefined)}
        />
      )}
    </>
  );
}
