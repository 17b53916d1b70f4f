import type { ProblemKind } from './problem-kind.js';

export const WEBHOOK_PROBLEMS = {
  delivery_pending: {
    status: 409,
    title: 'Delivery pending',
    meaning: 'The delivery waits for its first or next attempt, so it cannot be replayed yet.',
    advice: 'Wait until it is delivered or dead.',
  },
  old_secret_signs: {
    status: 409,
    title: 'Old secret still valid',
    meaning: 'The previous secret of the webhook still signs. A new rotation would end it early.',
    advice: 'Wait until `oldSecretUntil`. If no receiver needs that secret any more, send `endOldSecret`.',
  },
  too_many_webhooks: {
    status: 409,
    title: 'Too many webhooks',
    meaning: 'The tenant has reached its limit of webhooks.',
    advice: 'Delete webhooks that you no longer need.',
  },
  webhook_not_enabled: {
    status: 409,
    title: 'Webhook not enabled',
    meaning: 'The webhook is disabled: Runward sends only tests to its address.',
    advice: 'Enable it first.',
  },
} as const satisfies Record<string, ProblemKind>;
