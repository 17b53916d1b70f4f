import type { NotificationDelivery } from '../../api/types';
import { Badge } from '../../ui/status/Badge';
import { deliveryStyle } from './rule-words';

export function DeliveryBadge({ delivery }: { delivery: NotificationDelivery }) {
  const { tone, icon, label } = deliveryStyle(delivery);
  return (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  );
}
