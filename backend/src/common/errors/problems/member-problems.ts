import type { ProblemKind } from './problem-kind.js';

/** Problems of signing in and of members. */
export const MEMBER_PROBLEMS = {
  login_failed: {
    status: 401,
    title: 'Sign-in failed',
    meaning: 'E-mail address and password do not belong together, or the account is disabled.',
    advice: 'Check both. An admin can make a link with which you set a new password.',
  },
  link_invalid: {
    status: 404,
    title: 'Link not valid',
    meaning: 'The one-time link was used already, is too old, or was replaced by a newer one.',
    advice: 'Ask an admin for a new link.',
  },
  duplicate_email: {
    status: 409,
    title: 'Address taken',
    meaning: 'The tenant has a member with this e-mail address.',
    advice: 'Use that member, or another address.',
  },
  last_admin: {
    status: 409,
    title: 'Last admin',
    meaning: 'The tenant would be left without an active admin.',
    advice: 'Make another member an admin first.',
  },
  service_account: {
    status: 409,
    title: 'Service account',
    meaning: 'The member is a service account: it has no password, never signs in, and can not approve.',
    advice: 'Change it under `/api/service-accounts`; have a person approve.',
  },
  tenant_required: {
    status: 409,
    title: 'Tenant required',
    meaning: 'The address and the password belong to members of several tenants.',
    advice: 'Name one of the tenants in `tenant`.',
  },
  too_many_attempts: {
    status: 429,
    title: 'Too many attempts',
    meaning: 'Too many sign-ins failed for this account or from this network.',
    advice: 'Try again after as many seconds as `Retry-After` says.',
  },
} as const satisfies Record<string, ProblemKind>;
