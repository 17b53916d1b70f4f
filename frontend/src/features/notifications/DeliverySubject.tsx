import { Text } from '@mantine/core';
import type { NotificationDelivery } from '../../api/types';
import { AnchorLink } from '../../ui/page/links';

export function DeliverySubject({ delivery }: { delivery: NotificationDelivery }) {
  const { subject, executionId, scheduleId, webhookId, event } = delivery;
  if (executionId !== null)
    return (
      <AnchorLink to="/executions/$id" params={{ id: executionId }} className="rw-wrap-anywhere">
        {subject}
      </AnchorLink>
    );
  if (scheduleId !== null)
    return (
      <AnchorLink to="/schedules/$id" params={{ id: scheduleId }} className="rw-wrap-anywhere">
        {subject}
      </AnchorLink>
    );
  if (webhookId !== null)
    return (
      <AnchorLink to="/webhooks/$id" params={{ id: webhookId }} className="rw-wrap-anywhere">
        {subject}
      </AnchorLink>
    );
  if (event === 'schedule.failed')
    return (
      <AnchorLink to="/schedules" className="rw-wrap-anywhere">
        {subject}
      </AnchorLink>
    );
  return <Text>{subject}</Text>;
}
