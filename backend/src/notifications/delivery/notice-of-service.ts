import type { ProtectionChangedEvent, ScheduleFailedEvent, WebhookDisabledEvent } from '../../outbox/event-types.js';
import type { UserReference } from '../../common/http/user-reference.view.js';
import type { Notice } from '../messages/notice.js';
import { toServersLeft } from './reported-event.js';

/** Returns the notice about a stored event without a run; null: the event has a run. */
export function createServiceNotice(event: string, about: object): Notice | null {
  switch (event) {
    case 'schedule.failed': {
      const { schedule, planName, environmentName, at, reason, paused, webUrl } = about as ScheduleFailedEvent;
      return {
        ...{ event, scheduleName: schedule.name, planName, environmentName, ownerName: toOwnerName(about) },
        ...{ at: new Date(at), reason: reason?.text ?? '', paused, url: webUrl },
      };
    }
    case 'webhook.disabled': {
      const { webhook, reason, webUrl } = about as WebhookDisabledEvent;
      return { event, webhookName: webhook.name, ownerName: toOwnerName(about), reason: reason.text, url: webUrl };
    }
    case 'environment.protection_changed': {
      const left = toServersLeft(about);
      if (left) {
        const { count, names, countsUntil } = left.departed;
        return {
          ...{ event: 'servers_left', what: left.what, by: toName(left.by), environmentName: left.environment.name },
          ...{ count, names, countsUntil: countsUntil === null ? null : new Date(countsUntil), url: left.webUrl },
        };
      }
      const { what, environment, by, change, webUrl } = about as ProtectionChangedEvent;
      const weakened = change.settings.map(({ setting, from, to }) => `${setting}: ${from} to ${to}`);
      return {
        ...{ event, what, by: toName(by), environmentName: environment.name, reason: change.reason, url: webUrl },
        ...{ requestedBy: change.requestedBy.name, weakened },
        effectiveAt: change.effectiveAt === null ? null : new Date(change.effectiveAt),
      };
    }
    default:
      return null;
  }
}

/** Events of earlier versions have only the name. */
const toName = (user: UserReference | string): string => (typeof user === 'string' ? user : user.name);

/** Events of earlier versions have `ownerName`. */
const toOwnerName = ({ owner, ownerName }: { owner?: UserReference | null; ownerName?: string }): string =>
  owner?.name ?? ownerName ?? 'A removed member';
