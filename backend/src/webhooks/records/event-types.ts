import { RUN_EVENT_TYPES } from '../../executions/output/run-events.js';
import { OTHER_EVENT_TYPES } from '../../outbox/event-types.js';

/** Event types that a webhook can subscribe to: those of the run stream, except output, and those outside runs. */
export const WEBHOOK_EVENTS: readonly string[] = [
  ...RUN_EVENT_TYPES.filter((type) => type !== 'output.appended'),
  ...OTHER_EVENT_TYPES,
];

/** Event type that `POST /api/webhooks/{id}/test` sends. */
export const TEST_EVENT = 'webhook.test';
