import type { components } from './schema.ts';

export type Problem = components['schemas']['ProblemView'];

/** Answer of the service that is not 2xx. Compare `code`, not texts. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** Code of the problem; null = the answer is no problem of Runward, such as that of a proxy. */
  readonly code: string | null;
  readonly problem: Problem | null;

  constructor(status: number, body: unknown) {
    const problem = isProblem(body) ? body : null;
    super(problem?.detail ?? problem?.title ?? `The service answered ${status}.`);
    this.status = status;
    this.code = problem?.code ?? null;
    this.problem = problem;
  }
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && typeof (body as { code?: unknown }).code === 'string';

/** The run is not settled at the deadline. It continues. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
  readonly executionId: string;

  constructor(executionId: string) {
    super(`Run ${executionId} is not settled at the deadline. It continues.`);
    this.executionId = executionId;
  }
}
