import { EXIT, type ExitCode } from './exit-codes.ts';

export interface ProblemFault {
  path: string;
  code: string;
  message: string;
  line?: number;
  column?: number;
}

/** Problem (RFC 9457) from the API or from this program. Only problems from the API have `status`. */
export interface Problem {
  type: string;
  title: string;
  status?: number;
  code: string;
  detail: string;
  requestId?: string;
  errors?: ProblemFault[];
  [more: string]: unknown;
}

/** Reason why a command failed. Printed without a stack. */
export class Failure extends Error {
  readonly problem: Problem;
  readonly exitCode: ExitCode;
  readonly advice: readonly string[];

  constructor(problem: Problem, exitCode: ExitCode, advice: readonly string[] = []) {
    super(problem.detail);
    this.name = 'Failure';
    this.problem = problem;
    this.exitCode = exitCode;
    this.advice = advice;
  }
}

export const createFailure = (
  code: string,
  title: string,
  detail: string,
  exitCode: ExitCode,
  advice: readonly string[] = [],
): Failure => new Failure({ type: 'about:blank', title, code, detail }, exitCode, advice);

export const usage = (detail: string, advice: readonly string[] = []): Failure =>
  createFailure('usage', 'Invalid command', detail, EXIT.usage, advice);

export const unexpectedFailure = (error: unknown): Failure =>
  createFailure(
    'unexpected',
    'Unexpected error',
    `Unexpected error: ${error instanceof Error ? error.message : String(error)}`,
    EXIT.unreachable,
    ['This is a bug in the program. Please report it with the command that you typed.'],
  );
