import type { Principal } from '../common/access/principal.js';
import { insufficientRoleProblem, invalidRequest } from '../common/errors/problem.js';
import type { NotificationEvent } from './messages/notification-events.js';

/** Event of the whole tenant, without environment and plan. Reported only to admins. */
const TENANT_EVENT: NotificationEvent = 'webhook.disabled';

/** @throws Problem 403 for events that are reported only to admins */
export function requireAdminFor({ role }: Principal, events: readonly NotificationEvent[] | undefined): void {
  if (events?.includes(TENANT_EVENT) && role !== 'admin') throw insufficientRoleProblem('admin');
}

/** Rejects events that the rule could never report. @throws Problem 400 */
export function requireReportable(rule: {
  events: readonly NotificationEvent[];
  environmentIds: readonly string[] | null;
  planIds: readonly string[] | null;
}): void {
  if (!rule.events.includes(TENANT_EVENT)) return;
  const restrictedFields = (['environmentIds', 'planIds'] as const).filter((field) => rule[field] !== null);
  if (restrictedFields.length === 0) return;
  const message = `Webhooks belong to no environment and no plan: remove this field, or use a separate rule for ${TENANT_EVENT}`;
  throw invalidRequest(restrictedFields.map((field) => ({ path: `/${field}`, code: 'not_applicable', message })));
}
