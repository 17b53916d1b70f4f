import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconClock,
  IconMailOff,
  IconPlayerPause,
} from '@tabler/icons-react';
import type { DeliveryStatus, Webhook } from '../../api/types';
import type { StatusStyle } from '../../ui/status/statuses';

export function webhookStyle({ enabled, disabled, owner, failingSince, lastDeliveredAt }: Webhook): StatusStyle {
  if (!enabled)
    return disabled?.reason.code === 'person'
      ? { label: 'Disabled', tone: 'muted', icon: IconPlayerPause }
      : { label: 'Disabled', tone: 'bad', icon: IconMailOff };
  if (!owner.maySend) return { label: 'Owner inactive', tone: 'bad', icon: IconMailOff };
  if (failingSince !== null) return { label: 'Failing', tone: 'warn', icon: IconAlertTriangle };
  if (lastDeliveredAt === null) return { label: 'No deliveries yet', tone: 'idle', icon: IconCircleDashed };
  return { label: 'Delivering', tone: 'good', icon: IconCircleCheck };
}

export const DELIVERY_STYLES: Record<DeliveryStatus, StatusStyle> = {
  pending: { label: 'Waiting', tone: 'active', icon: IconClock },
  delivered: { label: 'Delivered', tone: 'good', icon: IconCircleCheck },
  dead: { label: 'Dead', tone: 'bad', icon: IconMailOff },
};
