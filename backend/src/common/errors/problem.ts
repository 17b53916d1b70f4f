import { PROBLEM_CODES, type ProblemCode } from './problem-codes.js';
import { DATABASE_PROBLEMS } from './problems/database-problems.js';
import type { ProblemItem } from './problem-item.js';

/** What a refused start tells about one run that is in its way (`conflicts[]` of a 409 `run_overlap`). */
export interface OverlapConflict {
  /** Absent when the caller may not see that run. */
  executionId?: string;
  planName?: string;
  startedBy?: string;
  since?: string;
  /** Names of the servers both runs target. */
  sharedHosts: string[];
  /** The guard keys both runs want, in words: `server web-1`, `plan Deploy in production`. */
  sharedKeys: string[];
  /** The run is over, and holds its hosts until a person has said what became of a command there. */
  unknownResults?: boolean;
  /** The run holds nothing yet: it waits for these in the queue, and goes first. */
  waits?: boolean;
}

/** One thing that differs between what was seen and what would run now (`differences[]` of a 409 `digest_changed`). */
export interface Difference {
  kind: 'step' | 'script' | 'template' | 'variable' | 'secret' | 'host' | 'setting';
  name: string;
  change: 'added' | 'removed' | 'changed';
  /** In words; null for a secret, and for what was not there. */
  before: string | null;
  after: string | null;
}

/** Results of one step that another one would look for in vain. */
export interface MissingResults {
  /** The step that looks back. */
  stepKey: string;
  /** Key of the step that it looks back at. */
  needs: string;
  /** How many hosts have no such result. */
  count: number;
  /** The first of them. */
  hosts: { serverId: string; name: string }[];
}

/** A server of another environment that is, or was before, the machine of a host (`otherServers[]`). */
export interface OtherServerItem {
  /** The server that the request is about. */
  name: string;
  by: 'address' | 'host_key';
  serverId: string;
  serverName: string;
  environmentId: string;
  environmentName: string;
}

/** A part of what a run reads, and who wrote it. */
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
  /** Authors whose content needs a person's confirmation. */
  authors?: RunAuthorItem[];
  /** What a start has to send to accept the content of these authors. */
  acceptAuthors?: string;
  /** Results that a rerun would look for in vain. */
  missing?: MissingResults[];
  differences?: Difference[];
  /** How many further differences there are. */
  moreDifferences?: number;
  /** What a person may do instead at this moment. */
  choices?: readonly string[];
  errors?: ProblemItem[];
  /** How many faults there are, where `errors` holds the first of them only; not sent. */
  faults?: number;
  conflicts?: OverlapConflict[];
  /** How many further runs overlap that the caller may not see. */
  hiddenConflicts?: number;
  /** What still refers to a record that was to be deleted. */
  referrers?: { type: string; id: string; name: string }[];
  /** How many further records refer to it that the caller may not see. */
  hiddenReferrers?: number;
  /** Servers of a change of many that can not be changed like that: the first of them. */
  refusals?: { serverId: string; name: string; code: string; message: string }[];
  /** How many further ones there are. */
  moreRefusals?: number;
  /** Servers of other environments that keep a host from this: those that the caller may see. */
  otherServers?: OtherServerItem[];
  /** How many further ones there are that the caller may not see. */
  hiddenServers?: number;
  /** How much a rule of retention would delete, and of how much. */
  removal?: { runs: number; bytes: number; ofRuns: number; ofBytes: number };
  /** When run windows open next. */
  nextOpensAt?: string;
  /** Until when the secret of a webhook before the current one signs. */
  oldSecretUntil?: string;
  headers?: Record<string, string>;
}

/**
 * The one error that a handler, guard or service throws on purpose. The problem filter turns it into an
 * `application/problem+json` answer (RFC 9457) with the status and title of its `code`.
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

/** The codes that come with this status. */
type CodeOf<S extends number> = {
  [C in ProblemCode]: (typeof PROBLEM_CODES)[C]['status'] extends S ? C : never;
}[ProblemCode];

/** 400: the request is malformed; `errors` names each fault with its JSON pointer. */
export const invalidRequest = (errors: ProblemItem[], detail = 'The request was refused; nothing was changed.') =>
  new Problem('invalid_request', detail, { errors });

/** 401: no, wrong, expired or revoked credentials. */
export const unauthorized = (
  code: CodeOf<401> = 'unauthorized',
  detail = 'Sign in, or send a valid API token as a bearer token.',
) => new Problem(code, detail, { headers: { 'WWW-Authenticate': 'Bearer realm="runward"' } });

/** 403: the caller's role is too low. Decided before any record is read, so it reveals nothing (spec, rule 1). */
export const insufficientRole = (needed: string) => new Problem('insufficient_role', `This needs the role ${needed}.`);

/** 403: the token was made for less than its member may do. Decided before any record is read, as the role is. */
export const insufficientScope = (lacks: 'access' | 'reach') =>
  new Problem(
    'insufficient_scope',
    lacks === 'access'
      ? 'This token was made for less: its `scope.access` does not include this call. Use a token that may do it.'
      : 'This token is narrowed to environments or plans, and this call is about more than those. Use a token that is not.',
  );

/** 403: approvals are given by people. */
export const personRequired = () =>
  new Problem(
    'person_required',
    'Only a person may do this, signed in or with an API token of their own. Service accounts and exchanged tokens may not.',
  );

/**
 * 404: absent and invisible are one answer (spec, rule 1).
 * @param path JSON pointer, when the id stood in the request's body
 */
export const notFound = (path?: string) => {
  const message = 'There is no such record, or you may not see it.';
  return new Problem('not_found', message, path ? { errors: [{ path, code: 'not_found', message }] } : {});
};

/** 405: the path takes other methods only. */
export const methodNotAllowed = (method: string, allowed: readonly string[]) =>
  new Problem('method_not_allowed', `This path does not take ${method}. It takes ${allowed.join(', ')}.`);

/** 409: the record's state, a duplicate, a reference or the guard stands against it. */
export const conflict = (code: CodeOf<409>, detail: string, extras: ProblemExtras = {}) =>
  new Problem(code, detail, extras);

/** 412: the record has changed since the caller read it. */
export const preconditionFailed = () =>
  new Problem('version_mismatch', 'The record has changed since you read it. Read it again and repeat your change.');

/** 503: the database can't be used. */
export const databaseUnusable = (code: keyof typeof DATABASE_PROBLEMS = 'database_unavailable') =>
  new Problem(code, `${DATABASE_PROBLEMS[code].meaning} Try again shortly.`, { headers: { 'Retry-After': '5' } });
