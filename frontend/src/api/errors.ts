import type { ProblemCode } from './lists';
import type { Difference, OtherServer, OverlapConflict, ProblemBody, ProblemItem, RunAuthor } from './types';

/** Problem document of the server (RFC 9457), or the lack of a usable response. */
export class ApiProblem extends Error {
  readonly status: number;
  /** Stable snake_case name. `network` = no response; `unexpected` = the response was not a problem document. */
  readonly code: ProblemCode | 'network' | 'unexpected';
  readonly title: string;
  readonly errors: ProblemItem[];
  readonly conflicts: OverlapConflict[];
  readonly hiddenConflicts: number;
  /** Differences between the run that would start and the dry run that was shown. */
  readonly differences: Difference[];
  readonly moreDifferences: number;
  /** Authors whose content needs a confirmation at the start, or because of whom the start is refused. */
  readonly authors: RunAuthor[];
  /** Value with which a start confirms the content of `authors`; null = it can't be confirmed. */
  readonly acceptAuthors: string | null;
  readonly referrers: { type: string; id: string; name: string }[];
  readonly hiddenReferrers: number;
  /** Servers of other environments that block the request. */
  readonly otherServers: OtherServer[];
  readonly hiddenServers: number;
  readonly requestId: string | null;
  /** Time when the server accepts another attempt, in ms since the epoch; null = unknown. */
  readonly retryAt: number | null;

  constructor(body: Partial<ProblemBody> & { status: number; code: string; detail: string }, retryAt?: number | null) {
    super(body.detail);
    this.name = 'ApiProblem';
    this.status = body.status;
    this.code = body.code as ApiProblem['code'];
    this.title = body.title ?? 'Internal error';
    this.errors = body.errors ?? [];
    this.conflicts = body.conflicts ?? [];
    this.hiddenConflicts = body.hiddenConflicts ?? 0;
    this.differences = body.differences ?? [];
    this.moreDifferences = body.moreDifferences ?? 0;
    this.authors = body.authors ?? [];
    this.acceptAuthors = body.acceptAuthors ?? null;
    this.referrers = body.referrers ?? [];
    this.hiddenReferrers = body.hiddenReferrers ?? 0;
    this.otherServers = body.otherServers ?? [];
    this.hiddenServers = body.hiddenServers ?? 0;
    this.requestId = body.requestId ?? null;
    this.retryAt = retryAt ?? null;
  }
}

/** Converts an error of `fetch`, or of reading its response. Only there, a TypeError is a network failure. */
export function toNetworkProblem(error: unknown): ApiProblem {
  if (!(error instanceof TypeError)) return toProblem(error);
  const detail = 'The server does not respond. Check that it is running and that your network works, then try again.';
  return new ApiProblem({ status: 0, code: 'network', title: 'No connection', detail });
}

export function toProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  return new ApiProblem({
    status: 0,
    code: 'unexpected',
    detail: error instanceof Error ? error.message : 'Unknown error.',
  });
}

export function problemOf(response: Response, body: unknown): ApiProblem {
  if (isProblem(body)) return new ApiProblem(body, retryAtOf(response));
  return new ApiProblem({
    status: response.status,
    code: 'unexpected',
    title: `Unexpected response (${response.status})`,
    detail: 'The response is not in the format of Runward. A proxy may have sent it.',
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}

/** Returns the time of a `Retry-After` header in seconds, as ms since the epoch. */
function retryAtOf(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Date.now() + seconds * 1000 : null;
}

function isProblem(body: unknown): body is ProblemBody {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body && 'status' in body;
}

export const isUnauthorized = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status === 401 && error.code !== 'login_failed';

/** Whether the error may be transient, so that a retry makes sense: no response, or a server error. */
export function isTransient(error: unknown): boolean {
  const { status } = toProblem(error);
  return status === 0 || status >= 500;
}
