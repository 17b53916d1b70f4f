/** Event types outside runs. Describe each in docs/webhooks.md. */
export const OTHER_EVENT_TYPES = ['schedule.failed', 'webhook.disabled', 'environment.protection'] as const;
