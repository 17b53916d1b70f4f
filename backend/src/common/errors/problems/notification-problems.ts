import type { ProblemKind } from './problem-kind.js';

/** Problems of notification rules and their messages. */
export const NOTIFICATION_PROBLEMS = {
  delivery_not_failed: {
    status: 409,
    title: 'Not failed',
    meaning: 'A message of a notification rule was to be sent again that was sent, is still tried, or was left out.',
    advice: 'Wait for what becomes of it; send only messages again that have failed.',
  },
  too_many_notification_rules: {
    status: 409,
    title: 'Too many notification rules',
    meaning: 'The tenant has as many notification rules as it may have.',
    advice: 'Delete notification rules that are not needed any more.',
  },
} as const satisfies Record<string, ProblemKind>;
