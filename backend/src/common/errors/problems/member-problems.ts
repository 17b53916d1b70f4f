import type { ProblemKind } from './problem-kind.js';

export const MEMBER_PROBLEMS = {
  bookmark_exists: {
    status: 409,
    title: 'Bookmark exists',
    meaning: 'You have already marked this page of the dashboard. `detail` gives the name.',
    advice: 'Keep the bookmark, or delete it and create it again under the new name.',
  },
  too_many_bookmarks: {
    status: 409,
    title: 'Too many bookmarks',
    meaning: 'You have reached the limit of bookmarks.',
    advice: 'Delete bookmarks that you no longer need.',
  },
  protection_change_required: {
    status: 409,
    title: 'Second person required',
    meaning: 'The request weakens the protection of an environment. Nothing was changed.',
    advice:
      'Request the change with a reason: `POST /api/environments/{id}/protection-changes`. Another approver must agree to it. In an emergency, an admin can send `override: true` there.',
  },
  protection_not_weakened: {
    status: 409,
    title: 'Protection not weakened',
    meaning: 'The environment is not protected, or a setting in the request does not weaken its approval policy.',
    advice: 'Send the settings in `detail` with `PATCH /api/environments/{id}`. They take effect at once.',
  },
  protection_change_open: {
    status: 409,
    title: 'Change already requested',
    meaning: 'Another protection change of this environment waits for a second person.',
    advice: 'Decide on it or withdraw it, then request the next change.',
  },
  protection_change_closed: {
    status: 409,
    title: 'Change closed',
    meaning: 'The protection change was decided or withdrawn, has expired, or the settings changed after the request.',
    advice: 'Request it again if you still need it.',
  },
  second_person_required: {
    status: 403,
    title: 'Second person required',
    meaning:
      'You requested the protection change, or you are not independent of its requester: within seven days, one of you gave the other a right, or a third member gave rights to both.',
    advice: 'Ask another approver to agree, or wait until the time in `detail`.',
  },
  login_failed: {
    status: 401,
    title: 'Sign-in failed',
    meaning: 'The email address or password is wrong, or the account is disabled.',
    advice: 'Check both. An admin can create a link to set a new password.',
  },
  link_invalid: {
    status: 404,
    title: 'Invalid link',
    meaning: 'The one-time link was already used, has expired, or was replaced by a newer one.',
    advice: 'Ask an admin for a new link.',
  },
  duplicate_email: {
    status: 409,
    title: 'Email address taken',
    meaning: 'The tenant already has a member with this email address.',
    advice: 'Use that member, or another email address.',
  },
  last_admin: {
    status: 409,
    title: 'Last admin',
    meaning: 'The tenant would have no active admin.',
    advice: 'Make another member an admin first.',
  },
  service_account: {
    status: 409,
    title: 'Service account',
    meaning: 'The member is a service account. It has no password, cannot sign in and cannot approve.',
    advice: 'Change it under `/api/service-accounts`. Ask a person to approve.',
  },
  tenant_required: {
    status: 409,
    title: 'Tenant required',
    meaning: 'The email address and password match members of several tenants.',
    advice: 'Send the name of one tenant in `tenant`.',
  },
  too_many_attempts: {
    status: 429,
    title: 'Too many attempts',
    meaning: 'Too many sign-ins failed for this account or from this network.',
    advice: 'Wait for the number of seconds in `Retry-After`, then try again.',
  },
} as const satisfies Record<string, ProblemKind>;
