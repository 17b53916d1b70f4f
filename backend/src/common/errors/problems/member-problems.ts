import type { ProblemKind } from './problem-kind.js';

/** Problems of signing in and of members. */
export const MEMBER_PROBLEMS = {
  protection_change_required: {
    status: 409,
    title: 'Second person required',
    meaning: 'The request weakens the protection of an environment. Nothing was changed.',
    advice:
      'Request it with a reason by `POST /api/environments/{id}/protection-changes`, where another approver agrees to it. In an emergency an admin sends `override: true` there.',
  },
  protection_not_weakened: {
    status: 409,
    title: 'Protection not weakened',
    meaning: 'The environment is not protected, or a setting of the request makes approval no easier.',
    advice: 'Send what `detail` names by `PATCH /api/environments/{id}`: it takes effect at once.',
  },
  protection_change_open: {
    status: 409,
    title: 'Change requested already',
    meaning: 'A change waits for a second person in this environment.',
    advice: 'Decide on it, or withdraw it, then request another one.',
  },
  protection_change_closed: {
    status: 409,
    title: 'Change closed',
    meaning:
      'The protection change was decided, withdrawn or has expired, or the settings were changed since it was requested.',
    advice: 'Request it again if it is still needed.',
  },
  second_person_required: {
    status: 403,
    title: 'Second person required',
    meaning:
      'The caller requested the protection change, or is tied to who did: within seven days one of them gave the other a right, or a third member gave both a right.',
    advice: 'Let another approver agree, or wait for the time that `detail` names.',
  },
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
