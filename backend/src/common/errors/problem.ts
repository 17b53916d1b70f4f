import { PROBLEM_CODES, type ProblemCode } from './problem-codes.js';
import { DATABASE_PROBLEMS } from './problems/database-problems.js';
import type { ReasonCode } from './reason-codes.js';
import type { ProblemItem } from './problem-item.js';

/** Run that conflicts with a refused start (`conflicts[]` of a 409 `run_overlap`). */
export interface OverlapConflict {
  /** Undefined if the caller cannot see the run. */
  executionId?: string;
  planName?: string;
  startedBy?: { id: string; name: string };
  since?: string;
  sharedHosts: string[];
  /** Guard keys that both runs need, as text: `server web-1`, `plan Deploy in production`. */
  sharedKeys: string[];
  /**
   * The run has ended, but a command has an unknown result. The run holds its hosts until a person resolves the result.
   */
  unknownResults?: boolean;
  /** The run holds no guard keys yet: it is in the queue, before the new run. */
  waits?: boolean;
}

/**
 * Difference between the reviewed content and the content that would run now (`differences[]` of a 409
 * `digest_changed`).
 */
export interface Difference {
  kind: 'step' | 'script' | 'template' | 'variable' | 'secret' | 'host' | 'setting';
  name: string;
  change: 'added' | 'removed' | 'changed';
  /** As text; null for a secret and for an added item. */
  before: string | null;
  after: string | null;
}

export interface MissingResults {
  stepKey: string;
  /** Key of the step that should have produced the results. */
  needs: string;
  count: number;
  hosts: { serverId: string; name: string }[];
}

/** Server of another environment that has, or had, the machine of a host (`otherServers[]`). */
export interface OtherServerItem {
  name: string;
  by: 'address' | 'host_key';
  serverId: string;
  serverName: string;
  environmentId: string;
  environmentName: string;
}

export interface RunAuthorItem {
  kind: string;
  name: string;
  revision: number | null;
  detail: string | null;
  user: { id: string; name: string } | null;
  statedName: string | null;
  outside: boolean;
}

export interface ProblemExtras {
  /** Authors whose content a person must accept before the start. */
  authors?: RunAuthorItem[];
  /** Value of `acceptAuthors` with which a start accepts the content of these authors. */
  acceptAuthors?: string;
  missing?: MissingResults[];
  differences?: Difference[];
  moreDifferences?: number;
  choices?: readonly string[];
  errors?: ProblemItem[];
  /** Total number of faults; undefined if `errors` contains all of them. */
  faults?: number;
  conflicts?: OverlapConflict[];
  hiddenConflicts?: number;
  referrers?: { type: string; id: string; name: string }[];
  hiddenReferrers?: number;
  /** First servers for which a bulk change was refused. */
  refusals?: { serverId: string; name: string; reason: { code: ReasonCode; text: string } }[];
  moreRefusals?: number;
  otherServers?: OtherServerItem[];
  hiddenServers?: number;
  /** Number and bytes of runs that a retention rule would delete, and of all finished runs. */
  removal?: { runs: number; bytes: number; ofRuns: number; ofBytes: number };
  nextOpensAt?: string;
  /** Until when the previous secret of a webhook still signs. */
  oldSecretUntil?: string;
  headers?: Record<string, string>;
}

/**
 * Error that handlers, guards and services throw on purpose. The problem filter sends it as `application/problem+json`
 * (RFC 9457), with the status and title of its `code`.
 */
export class Problem extends Error {
  readonly status: number;
  readonly title: string;

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly extras: ProblemExtras = {},
  ) {
    super(detail);
    this.name = 'Problem';
    ({ status: this.status, title: this.title } = PROBLEM_CODES[code]);
  }
}

type ProblemCodeOfStatus<S extends number> = {
  [C in ProblemCode]: (typeof PROBLEM_CODES)[C]['status'] extends S ? C : never;
}[ProblemCode];

/** 400: the request is malformed. `errors` contains the JSON pointer of each fault. */
export const invalidRequest = (errors: ProblemItem[], detail = 'The request is invalid. Nothing was changed.') =>
  new Problem('invalid_request', detail, { errors });

/** 401: missing, wrong, expired or revoked credentials. */
export const unauthorizedProblem = (
  code: ProblemCodeOfStatus<401> = 'unauthorized',
  detail = 'Sign in, or send a valid API token as bearer token.',
) => new Problem(code, detail, { headers: { 'WWW-Authenticate': 'Bearer realm="runward"' } });

/** 403: the caller's role is too low. Must be decided before any record is read, so that it reveals nothing. */
export const insufficientRoleProblem = (requiredRole: string) =>
  new Problem('insufficient_role', `This operation needs the role ${requiredRole}.`);

/** 403: the scope of the token is too narrow. Must be decided before any record is read, like the role. */
export const insufficientScopeProblem = (missingPart: 'access' | 'reach') =>
  new Problem(
    'insufficient_scope',
    missingPart === 'access'
      ? '`scope.access` of this token does not include this operation. Use a token with more access.'
      : 'This token is limited to environments or plans, and this operation reaches beyond them. Use a token without that limit.',
  );

/**
 * 403: the caller can see the record, but lacks a grant in its environment.
 *
 * @param detail names the missing level, the environment and who can grant it
 */
export const grantRequiredProblem = (detail: string, extras: ProblemExtras = {}) =>
  new Problem('grant_required', detail, extras);

export const personRequiredProblem = () =>
  new Problem(
    'person_required',
    'Only a person may do this: signed in, or with their own API token. Service accounts and exchanged tokens may not.',
  );

/**
 * 404: the same response for records that do not exist and records that the caller cannot see.
 * @param path JSON pointer, if the ID was in the request's body
 */
export const notFound = (path?: string) => {
  const message = 'The record does not exist, or you cannot see it.';
  return new Problem('not_found', message, path ? { errors: [{ path, code: 'not_found', message }] } : {});
};

/** 405: the path does not support the method. */
export const methodNotAllowedProblem = (method: string, allowedMethods: readonly string[]) =>
  new Problem('method_not_allowed', `This path does not support ${method}. It supports ${allowedMethods.join(', ')}.`);

/** 409: the request conflicts with a record's state, a duplicate, a reference or the guard. */
export const conflict = (code: ProblemCodeOfStatus<409>, detail: string, extras: ProblemExtras = {}) =>
  new Problem(code, detail, extras);

/** 412: the record has changed since the caller read it. */
export const versionMismatchProblem = () =>
  new Problem('version_mismatch', 'The record has changed since you read it. Read it again and repeat your change.');

/** 503: the database is not usable. */
export const databaseUnusableProblem = (code: keyof typeof DATABASE_PROBLEMS = 'database_unavailable') =>
  new Problem(code, `${DATABASE_PROBLEMS[code].meaning} Try again shortly.`, { headers: { 'Retry-After': '5' } });
