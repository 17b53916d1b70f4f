/** Kinds of event beside those of runs. Whoever adds one describes it in docs/webhooks.md. */
export const OTHER_EVENT_TYPES = ['schedule.failed', 'webhook.disabled', 'environment.protection'] as const;
