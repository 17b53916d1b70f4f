import type { EventType } from '../../outbox/event-types.js';
import type { NotificationEvent } from '../messages/notification-events.js';

const EVENTS_BY_STATUS: Readonly<Record<string, readonly NotificationEvent[]>> = {
  FAILED: ['execution.failed'],
  TIMED_OUT: ['execution.failed'],
  INTERRUPTED: ['execution.failed'],
  PARTIALLY_SUCCEEDED: ['execution.partially_succeeded'],
  SUCCEEDED: ['execution.recovered'],
  REJECTED: ['execution.rejected_or_expired'],
  EXPIRED: ['execution.rejected_or_expired'],
};

/**
 * Returns the possible meanings of a run's event, most severe first. A rule reports the first one that it subscribes
 * to.
 */
export function toNotificationEvents(event: {
  type: EventType;
  status: string;
  executionMode: string;
}): readonly NotificationEvent[] {
  // Not reported: the requester of a dry run reads the result directly.
  if (event.executionMode === 'dry_run') return [];
  if (event.type === 'approval.requested') return ['approval.requested'];
  if (event.type === 'decision.requested') return ['decision.requested'];
  if (event.type === 'execution.finished')
    return ['execution.results_unknown', ...(EVENTS_BY_STATUS[event.status] ?? [])];
  return [];
}
