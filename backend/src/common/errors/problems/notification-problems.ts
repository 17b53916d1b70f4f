import type { ProblemKind } from './problem-kind.js';

export const NOTIFICATION_PROBLEMS = {
  delivery_not_failed: {
    status: 409,
    title: 'Delivery has not failed',
    meaning:
      'Only failed messages of a notification rule can be resent. This one was delivered, is still being tried, or was left out.',
    advice: 'Wait for its result. Resend it only if it failed.',
  },
  too_many_notification_rules: {
    status: 409,
    title: 'Too many notification rules',
    meaning: 'The tenant has reached its limit of notification rules.',
    advice: 'Delete notification rules that you no longer need.',
  },
} as const satisfies Record<string, ProblemKind>;
