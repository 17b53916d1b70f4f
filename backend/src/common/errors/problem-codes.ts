import { INVENTORY_PROBLEMS } from './problems/inventory-problems.js';
import { MEMBER_PROBLEMS } from './problems/member-problems.js';
import { DATABASE_PROBLEMS } from './problems/database-problems.js';
import { COLLECTION_PROBLEMS } from './problems/collection-problems.js';
import { GIT_PROBLEMS } from './problems/git-problems.js';
import { NOTIFICATION_PROBLEMS } from './problems/notification-problems.js';
import { OIDC_PROBLEMS } from './problems/oidc-problems.js';
import { REQUEST_PROBLEMS } from './problems/request-problems.js';
import { RUN_PROBLEMS } from './problems/run-problems.js';
import { WEBHOOK_PROBLEMS } from './problems/webhook-problems.js';

/** Every `code` of a problem response. Published at `PROBLEMS_PATH`, so a code never changes its meaning. */
export const PROBLEM_CODES = {
  ...REQUEST_PROBLEMS,
  ...DATABASE_PROBLEMS,
  ...MEMBER_PROBLEMS,
  ...OIDC_PROBLEMS,
  ...INVENTORY_PROBLEMS,
  ...COLLECTION_PROBLEMS,
  ...GIT_PROBLEMS,
  ...RUN_PROBLEMS,
  ...WEBHOOK_PROBLEMS,
  ...NOTIFICATION_PROBLEMS,
};

export type ProblemCode = keyof typeof PROBLEM_CODES;

/** Path of the published catalogue, which has an anchor for each code. */
export const PROBLEMS_PATH = '/api/docs/problems';
