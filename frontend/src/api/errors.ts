import type { Difference, OverlapConflict, ProblemBody, ProblemItem } from './types';

/** A refusal of the server (RFC 9457), or the lack of any answer. */
export class ApiProblem extends Error {
  readonly status: number;
  /** Stable snake_case name; `network` when no answer came, `unexpected` when the answer was no problem document. */
  readonly code: string;
  readonly title: string;
  readonly errors: ProblemItem[];
  readonly conflicts: OverlapConflict[];
  readonly hiddenConflicts: number;
  /** What differs from what was looked at. */
  readonly differences: Difference[];
  /** Further ones that are not listed. */
  readonly moreDifferences: number;
  readonly referrers: { type: string; id: string; name: string }[];
  readonly hiddenReferrers: number;
  readonly requestId: string | null;
  /** When another attempt may be let through, in ms since 1970; null when the server named no time. */
  readonly retryAt: number | null;

  constructor(body: Partial<ProblemBody> & { status: number; code: string; detail: string }, retryAt?: number | null) {
    super(body.detail);
    this.name = 'ApiProblem';
    this.status = body.status;
    this.code = body.code;
    this.title = body.title ?? 'Something went wrong';
    this.errors = body.errors ?? [];
    this.conflicts = body.conflicts ?? [];
    this.hiddenConflicts = body.hiddenConflicts ?? 0;
    this.differences = body.differences ?? [];
    this.moreDifferences = body.moreDifferences ?? 0;
    this.referrers = body.referrers ?? [];
    this.hiddenReferrers = body.hiddenReferrers ?? 0;
    this.requestId = body.requestId ?? null;
    this.retryAt = retryAt ?? null;
  }
}

/** Whatever was thrown, as a problem that a screen can show. */
export function toProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  if (error instanceof TypeError) {
    const detail = 'The server does not answer. Check that it runs and that the network is there, then try again.';
    return new ApiProblem({ status: 0, code: 'network', title: 'No connection', detail });
  }
  return new ApiProblem({
    status: 0,
    code: 'unexpected',
    detail: error instanceof Error ? error.message : 'Unknown error.',
  });
}

/** The problem that a response without success holds. */
export function problemOf(response: Response, body: unknown): ApiProblem {
  if (isProblem(body)) return new ApiProblem(body, retryAtOf(response));
  return new ApiProblem({
    status: response.status,
    code: 'unexpected',
    title: `Unexpected answer (${response.status})`,
    detail: 'The answer did not come from Runward in the usual form. A proxy in between may have sent it.',
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}

/** When a `Retry-After` header in seconds lets the next attempt through. */
function retryAtOf(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Date.now() + seconds * 1000 : null;
}

function isProblem(body: unknown): body is ProblemBody {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body && 'status' in body;
}

export const isUnauthorized = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status === 401 && error.code !== 'login_failed';

/** Whether it may pass by itself, so that another try makes sense: no answer, or a server in trouble. */
export function mayPass(error: unknown): boolean {
  const { status } = toProblem(error);
  return status === 0 || status >= 500;
}
