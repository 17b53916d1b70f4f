import { Text } from '@mantine/core';
import type { NotificationDelivery } from '../../api/types';
import { AnchorLink } from '../../ui/page/links';

export function DeliverySubject({ delivery }: { delivery: NotificationDelivery }) {
  const { subject, executionId, scheduleId, webhookId, event } = delivery;
  const style = { overflowWrap: 'anywhere' } as const;
  if (executionId !== null)
    return (
      <AnchorLink to="/executions/$id" params={{ id: executionId }} style={style}>
        {subject}
      </AnchorLink>
    );
  if (scheduleId !== null)
    return (
      <AnchorLink to="/schedules/$id" params={{ id: scheduleId }} style={style}>
        {subject}
      </AnchorLink>
    );
  if (webhookId !== null)
    return (
      <AnchorLink to="/webhooks/$id" params={{ id: webhookId }} style={style}>
        {subject}
      </AnchorLink>
    );
  if (event === 'schedule_failed')
    return (
      <AnchorLink to="/schedules" style={style}>
        {subject}
      </AnchorLink>
    );
  return <Text>{subject}</Text>;
}
