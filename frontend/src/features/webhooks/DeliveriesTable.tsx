import { Anchor, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconMail } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import { deliveriesQuery } from '../../api/queries/automation/webhooks';
import type { Delivery, DeliveryStatus, Webhook } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { duration, plural } from '../../ui/format/format';
import { optionsOf } from '../../ui/forms/options';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { Badge } from '../../ui/status/Badge';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { listState } from '../../ui/tables/list-state';
import { eventWords } from './events';
import { DELIVERY_STYLES } from './webhook-state';

interface Props {
  webhook: Webhook;
  state: DeliveryStatus | undefined;
  onState: (state: DeliveryStatus | undefined) => void;
  onOpen: (id: string) => void;
  onReplayDead: () => void;
}

const FILTERS: Record<DeliveryStatus | 'all', string> = {
  all: 'All',
  pending: 'Waiting',
  delivered: 'Delivered',
  dead: 'Dead',
};

export function DeliveriesTable({ webhook, state, onState, onOpen, onReplayDead }: Props) {
  const list = listState(useInfiniteQuery(deliveriesQuery(webhook.id, state)));
  const columns: Column<Delivery>[] = [
    {
      key: 'event',
      title: 'Event',
      render: ({ id, type, attempts }) => (
        <Stack gap={0}>
          <Anchor component="button" type="button" ta="left" fw={550} onClick={() => onOpen(id)}>
            {eventWords(type)}
          </Anchor>
          <Text size="xs" c="dimmed">
            <span className="rw-mono">{type}</span>, {plural(attempts, 'attempt')}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'state',
      title: 'State',
      render: (delivery) => <DeliveryStateCell delivery={delivery} />,
    },
    {
      key: 'answer',
      title: 'Response',
      from: 'md',
      render: ({ httpStatus, reason, durationMs }) =>
        durationMs === null ? '–' : `${httpStatus ?? reason?.code ?? ''} in ${duration(durationMs)}`,
    },
    { key: 'at', title: 'Event time', from: 'xs', width: 130, render: ({ at }) => <RelativeTime at={at} /> },
  ];
  return (
    <Stack gap="sm" component="section" aria-label="Deliveries">
      <Group justify="space-between">
        <SegmentedControl
          aria-label="Filter by state"
          data={optionsOf(FILTERS)}
          value={state ?? 'all'}
          onChange={(value) => onState(value === 'all' ? undefined : value)}
        />
        {webhook.dead > 0 && (
          <Can role="operator" unless={webhook.enabled ? null : 'enable the webhook first'}>
            <Button variant="default" onClick={onReplayDead}>
              Replay dead deliveries
            </Button>
          </Can>
        )}
      </Group>
      <DataTable
        label="Deliveries"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconMail} title={state ? 'No deliveries in this state' : 'No deliveries yet'}>
            {state
              ? 'Choose another state.'
              : 'Deliveries of future events appear here. Send a test message to verify the address.'}
          </EmptyState>
        }
      />
    </Stack>
  );
}

function DeliveryStateCell({ delivery: { status, nextAttemptAt, reason, attempts } }: { delivery: Delivery }) {
  const { tone, icon, label } = DELIVERY_STYLES[status];
  return (
    <Stack gap={2} align="flex-start">
      <Badge tone={tone} icon={icon}>
        {label}
      </Badge>
      {status === 'pending' && attempts > 0 && (
        <Text size="xs" c="dimmed">
          next attempt <RelativeTime at={nextAttemptAt} never="after earlier messages" />
        </Text>
      )}
      {status !== 'delivered' && reason !== null && (
        <Text size="xs" c="dimmed" lineClamp={2} className="rw-wrap-anywhere">
          {reason.text}
        </Text>
      )}
    </Stack>
  );
}
