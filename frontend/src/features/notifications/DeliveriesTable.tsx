import { Button, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconMailOff } from '@tabler/icons-react';
import { toProblem } from '../../api/errors';
import { notificationDeliveriesQuery, useResendNotification } from '../../api/queries/automation/notifications';
import type { NotificationDelivery } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { listState } from '../../ui/tables/list-state';
import { DeliveryBadge } from './DeliveryBadge';
import { DeliverySubject } from './DeliverySubject';
import { eventLabel } from './rule-words';

export function DeliveriesTable({ ruleId }: { ruleId: string }) {
  const deliveries = useInfiniteQuery(notificationDeliveriesQuery(ruleId));
  const resend = useResendNotification(ruleId);
  const again = ({ id }: NotificationDelivery) =>
    resend.mutate(id, {
      onSuccess: () => notifications.show({ message: 'The message will be sent shortly.' }),
      onError: (error) => notifications.show({ color: 'red', message: toProblem(error).message }),
    });
  const columns: Column<NotificationDelivery>[] = [
    {
      key: 'subject',
      title: 'Message',
      render: (delivery) => (
        <Stack gap={0}>
          <DeliverySubject delivery={delivery} />
          <Text size="xs" c="dimmed">
            {eventLabel(delivery.event)}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'state',
      title: 'State',
      render: (delivery) => <DeliveryState delivery={delivery} />,
    },
    {
      key: 'at',
      title: 'Time',
      from: 'sm',
      width: 120,
      render: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      key: 'actions',
      title: '',
      width: 130,
      align: 'right',
      render: (delivery) =>
        delivery.status === 'failed' ? (
          <Button
            size="compact-xs"
            variant="default"
            loading={resend.isPending && resend.variables === delivery.id}
            onClick={() => again(delivery)}
            aria-label={`Send again: ${delivery.subject}`}
          >
            Send again
          </Button>
        ) : null,
    },
  ];
  return (
    <DataTable
      label="Messages"
      list={listState(deliveries)}
      columns={columns}
      rowKey={({ id }) => id}
      empty={
        <EmptyState icon={IconMailOff} title="No messages in the last 30 days">
          Messages of this rule appear here, with delivery errors.
        </EmptyState>
      }
    />
  );
}

function DeliveryState({ delivery }: { delivery: NotificationDelivery }) {
  return (
    <Stack gap={2} align="flex-start">
      <DeliveryBadge delivery={delivery} />
      {delivery.reason !== null && (
        <Text size="xs" c="dimmed" className="rw-wrap-anywhere">
          {delivery.reason.text}
        </Text>
      )}
      {delivery.status === 'waiting' && delivery.nextAttemptAt !== null && (
        <Text size="xs" c="dimmed" component="div">
          {delivery.attempts > 0 ? `Tried ${delivery.attempts} times; next ` : 'Sent '}
          <RelativeTime at={delivery.nextAttemptAt} />
        </Text>
      )}
    </Stack>
  );
}
