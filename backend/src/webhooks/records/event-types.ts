import { RUN_EVENT_TYPES } from '../../executions/output/run-events.js';
import { OTHER_EVENT_TYPES } from '../../outbox/event-types.js';

/** Event types to which a webhook can subscribe: those of the run stream except output, and those outside of runs. */
export const WEBHOOK_EVENTS: readonly string[] = [
  ...RUN_EVENT_TYPES.filter((type) => type !== 'output.appended'),
  ...OTHER_EVENT_TYPES,
];

export const TEST_EVENT = 'webhook.test';
