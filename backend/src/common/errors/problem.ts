import { PROBLEM_CODES, type ProblemCode } from './problem-codes.js';
import { DATABASE_PROBLEMS } from './problems/database-problems.js';
import type { ProblemItem } from './problem-item.js';

/** One run that conflicts with a refused start (`conflicts[]` of a 409 `run_overlap`). */
export interface OverlapConflict {
  /** Absent when the caller cannot see that run. */
  executionId?: string;
  planName?: string;
  startedBy?: string;
  since?: string;
  /** Names of the servers that both runs target. */
  sharedHosts: string[];
  /** Guard keys that both runs need, in words: `server web-1`, `plan Deploy in production`. */
  sharedKeys: string[];
  /** The run has ended, but holds its hosts until a person resolves the unknown result of a command there. */
  unknownResults?: boolean;
  /** The run holds nothing yet: it waits in the queue before the new run. */
  waits?: boolean;
}

/**
 * One difference between the content that was reviewed and the content that would run now (`differences[]` of a 409
 * `digest_changed`).
 */
export interface Difference {
  kind: 'step' | 'script' | 'template' | 'variable' | 'secret' | 'host' | 'setting';
  name: string;
  change: 'added' | 'removed' | 'changed';
  /** In words; null for a secret and for an added item. */
  before: string | null;
  after: string | null;
}

/** Results that a step of a rerun needs and that do not exist. */
export interface MissingResults {
  /** Key of the step that needs them. */
  stepKey: string;
  /** Key of the step whose results it needs. */
  needs: string;
  /** Number of hosts without these results. */
  count: number;
  /** The first of these hosts. */
  hosts: { serverId: string; name: string }[];
}

/** A server of another environment that has, or had, the machine of a host (`otherServers[]`). */
export interface OtherServerItem {
  /** Name of the server in the request. */
  name: string;
  by: 'address' | 'host_key';
  serverId: string;
  serverName: string;
  environmentId: string;
  environmentName: string;
}

/** Content that a run uses, and its author. */
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
  /** Authors whose content a person must accept. */
  authors?: RunAuthorItem[];
  /** Value of `acceptAuthors` with which a start accepts this content. */
  acceptAuthors?: string;
  /** Results that the rerun needs and that do not exist. */
  missing?: MissingResults[];
  differences?: Difference[];
  /** Number of differences that are not listed. */
  moreDifferences?: number;
  /** Actions that are possible now. */
  choices?: readonly string[];
  errors?: ProblemItem[];
  /** Number of faults when `errors` contains only the first of them; not sent. */
  faults?: number;
  conflicts?: OverlapConflict[];
  /** Number of overlapping runs that the caller cannot see. */
  hiddenConflicts?: number;
  /** Records that use the record to be deleted. */
  referrers?: { type: string; id: string; name: string }[];
  /** Number of such records that the caller cannot see. */
  hiddenReferrers?: number;
  /** The first servers that a bulk change refused. */
  refusals?: { serverId: string; name: string; code: string; message: string }[];
  /** Number of refused servers that are not listed. */
  moreRefusals?: number;
  /** Conflicting servers of other environments that the caller can see. */
  otherServers?: OtherServerItem[];
  /** Number of conflicting servers that the caller cannot see. */
  hiddenServers?: number;
  /** Number and bytes of runs that a retention rule would delete, and of all finished runs. */
  removal?: { runs: number; bytes: number; ofRuns: number; ofBytes: number };
  /** Time when the next run window opens. */
  nextOpensAt?: string;
  /** Time until which the previous secret of a webhook signs. */
  oldSecretUntil?: string;
  headers?: Record<string, string>;
}

/**
 * The error that handlers, guards and services throw on purpose. The problem filter answers it as
 * `application/problem+json` (RFC 9457) with the status and title of its `code`.
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

/** Problem codes with the status `S`. */
type CodeOf<S extends number> = {
  [C in ProblemCode]: (typeof PROBLEM_CODES)[C]['status'] extends S ? C : never;
}[ProblemCode];

/** 400: the request is malformed; `errors` lists each fault with its JSON pointer. */
export const invalidRequest = (errors: ProblemItem[], detail = 'The request is invalid. Nothing was changed.') =>
  new Problem('invalid_request', detail, { errors });

/** 401: missing, wrong, expired or revoked credentials. */
export const unauthorized = (
  code: CodeOf<401> = 'unauthorized',
  detail = 'Sign in, or send a valid API token as bearer token.',
) => new Problem(code, detail, { headers: { 'WWW-Authenticate': 'Bearer realm="runward"' } });

/** 403: the caller's role is too low. Decided before any record is read, so it reveals nothing. */
export const insufficientRole = (requiredRole: string) =>
  new Problem('insufficient_role', `This operation needs the role ${requiredRole}.`);

/** 403: the scope of the token is too narrow. Decided before any record is read, like the role. */
export const insufficientScope = (missingPart: 'access' | 'reach') =>
  new Problem(
    'insufficient_scope',
    missingPart === 'access'
      ? '`scope.access` of this token does not include this operation. Use a token with more access.'
      : 'This token is limited to environments or plans, and this operation reaches beyond them. Use a token without that limit.',
  );

/** 403: only people may do this. */
export const personRequired = () =>
  new Problem(
    'person_required',
    'Only a person may do this: signed in, or with their own API token. Service accounts and exchanged tokens may not.',
  );

/**
 * 404: the answer is the same for absent and invisible records.
 * @param path JSON pointer, when the ID was in the request's body
 */
export const notFound = (path?: string) => {
  const message = 'The record does not exist, or you cannot see it.';
  return new Problem('not_found', message, path ? { errors: [{ path, code: 'not_found', message }] } : {});
};

/** 405: the path does not support the method. */
export const methodNotAllowed = (method: string, allowedMethods: readonly string[]) =>
  new Problem('method_not_allowed', `This path does not support ${method}. It supports ${allowedMethods.join(', ')}.`);

/** 409: the record's state, a duplicate, a reference or the guard conflicts with the request. */
export const conflict = (code: CodeOf<409>, detail: string, extras: ProblemExtras = {}) =>
  new Problem(code, detail, extras);

/** 412: the record has changed since the caller read it. */
export const preconditionFailed = () =>
  new Problem('version_mismatch', 'The record has changed since you read it. Read it again and repeat your change.');

/** 503: the database is not usable. */
export const databaseUnusable = (code: keyof typeof DATABASE_PROBLEMS = 'database_unavailable') =>
  new Problem(code, `${DATABASE_PROBLEMS[code].meaning} Try again shortly.`, { headers: { 'Retry-After': '5' } });
