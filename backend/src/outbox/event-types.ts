/** Event types that do not concern runs. Describe each of them in docs/webhooks.md. */
export const OTHER_EVENT_TYPES = ['schedule.failed', 'webhook.disabled', 'environment.protection'] as const;
