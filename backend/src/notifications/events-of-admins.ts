import type { Principal } from '../common/access/principal.js';
import { insufficientRole, invalidRequest } from '../common/errors/problem.js';
import type { NotificationEvent } from './messages/notification-events.js';

/** What is about the whole tenant: no environment and no plan. Admins are told of it. */
const OF_THE_TENANT: NotificationEvent = 'webhook_disabled';

/** @throws Problem 403 for what only admins are told of */
export function demandAdminFor({ role }: Principal, events: readonly NotificationEvent[] | undefined): void {
  if (events?.includes(OF_THE_TENANT) && role !== 'admin') throw insufficientRole('admin');
}

/** A rule says nothing that it never does. @throws Problem 400 */
export function demandTellable(rule: {
  events: readonly NotificationEvent[];
  environmentIds: readonly string[] | null;
  planIds: readonly string[] | null;
}): void {
  if (!rule.events.includes(OF_THE_TENANT)) return;
  const narrowed = (['environmentIds', 'planIds'] as const).filter((field) => rule[field] !== null);
  if (narrowed.length === 0) return;
  const message = `Webhooks belong to no environment and no plan: remove this field, or use a separate rule for ${OF_THE_TENANT}`;
  throw invalidRequest(narrowed.map((field) => ({ path: `/${field}`, code: 'not_applicable', message })));
}
