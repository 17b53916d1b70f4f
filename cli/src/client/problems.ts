import { EXIT, type ExitCode } from '../terminal/exit-codes.ts';
import { Failure, createFailure, type Problem } from '../terminal/failure.ts';

/**
 * Returns the failure for an error response.
 * @param text whole body
 */
export function toFailure(response: Response, text: string): Failure {
  const problem = parseProblem(text);
  if (problem === null) return notRunwardFailure(response);
  return new Failure(problem, toExitCode(problem), toAdvice(problem, response));
}

/** Parses the body as a problem document; null = it is not one. */
export function parseProblem(text: string): Problem | null {
  try {
    const body: unknown = JSON.parse(text);
    return isProblem(body) ? body : null;
  } catch {
    return null;
  }
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' &&
  body !== null &&
  typeof (body as Problem).code === 'string' &&
  typeof (body as Problem).detail === 'string';

/**
 * Returns the exit code for a status: 6 = refused by a rule or a state, 2 = invalid request, 8 = service unavailable.
 */
export function toExitCode({ status = 0 }: Problem): ExitCode {
  if (status === 403 || status === 409 || status === 412) return EXIT.refused;
  if (status === 408 || status === 429 || status >= 500) return EXIT.unreachable;
  return EXIT.usage;
}

/** Failure for a response that is not from the API, but from a proxy or from another program at that address. */
export const notRunwardFailure = (response: Response): Failure =>
  createFailure(
    'not_runward',
    'Unexpected answer',
    `The response (status ${response.status}) does not come from the Runward API.`,
    EXIT.unreachable,
    ['Check RUNWARD_URL: it must be the address of the dashboard, without /api. A proxy may also have answered.'],
  );

function toAdvice(problem: Problem, response: Response): string[] {
  if (problem.code.startsWith('oidc_'))
    return ['The trust rules of the tenant define which identity tokens are accepted.'];
  if (problem.status === 401) return ['Sign in with `runward login`, or set RUNWARD_TOKEN to a valid token.'];
  if (problem.code === 'run_overlap') return toConflictLines(problem);
  if (problem.code === 'digest_changed') return toDifferenceLines(problem);
  const seconds = response.headers.get('retry-after');
  return problem.status === 429 && seconds ? [`Try again after ${seconds} s.`] : [];
}

function toConflictLines(problem: Problem): string[] {
  type Conflict = { executionId?: string; planName?: string; startedBy?: { name: string }; sharedHosts?: string[] };
  const seen = toList<Conflict>(problem.conflicts).map(({ executionId, planName, startedBy, sharedHosts = [] }) =>
    [
      `Conflicting run: ${executionId ?? '?'} of ${planName ?? '?'}`,
      startedBy ? `started by ${startedBy.name}` : '',
      sharedHosts.length > 0 ? `on ${joinFirstNames(sharedHosts)}` : '',
    ]
      .filter(Boolean)
      .join(', '),
  );
  const hidden = Number(problem.hiddenConflicts ?? 0);
  return hidden > 0 ? [...seen, `${hidden} more that you can't see`] : seen;
}

function toDifferenceLines(problem: Problem): string[] {
  type Difference = { kind: string; name: string; change: string };
  const listed = toList<Difference>(problem.differences).map(({ kind, name, change }) => `${kind} ${name}: ${change}`);
  const more = Number(problem.moreDifferences ?? 0);
  return more > 0 ? [...listed, `and ${more} more differences`] : listed;
}

const MAX_RULE_RECORDS = 5;
const joinFirstNames = (names: readonly string[]): string =>
  names.slice(0, MAX_RULE_RECORDS).join(', ') +
  (names.length > MAX_RULE_RECORDS ? ` and ${names.length - MAX_RULE_RECORDS} more` : '');
const toList = <T>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : []);
