import { RUN_EVENT_TYPES } from '../../executions/output/run-events.js';
import { OTHER_EVENT_TYPES } from '../../outbox/event-types.js';

/** Kinds of event that a webhook may listen for: those of the stream of a run but its output, and those of other things. */
export const WEBHOOK_EVENTS: readonly string[] = [
  ...RUN_EVENT_TYPES.filter((type) => type !== 'output.appended'),
  ...OTHER_EVENT_TYPES,
];

/** What `POST /api/webhooks/{id}/test` sends. */
export const TEST_EVENT = 'webhook.test';
