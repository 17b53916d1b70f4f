import type { ProblemKind } from './problem-kind.js';

/** Problems of webhooks and their deliveries. */
export const WEBHOOK_PROBLEMS = {
  delivery_pending: {
    status: 409,
    title: 'Delivery not over',
    meaning: 'The delivery waits to be sent, or to be tried again, so that it can not be replayed yet.',
    advice: 'Wait until it is delivered or dead.',
  },
  old_secret_signs: {
    status: 409,
    title: 'Old secret still signs',
    meaning:
      'A new secret of a webhook was asked for while the one before the current one still signs, so that it would end before its time.',
    advice: 'Wait until `oldSecretUntil`, or send `endOldSecret` if no receiver needs that secret any more.',
  },
  too_many_webhooks: {
    status: 409,
    title: 'Too many webhooks',
    meaning: 'The tenant has as many webhooks as it may have.',
    advice: 'Delete webhooks that are not needed any more.',
  },
  webhook_not_enabled: {
    status: 409,
    title: 'Webhook not enabled',
    meaning: 'The webhook is disabled, so that nothing is sent to its address but tests.',
    advice: 'Enable it first.',
  },
} as const satisfies Record<string, ProblemKind>;
