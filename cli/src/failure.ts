import { EXIT, type ExitCode } from './exit-codes.ts';

/** One fault of a request, as the API names it. */
export interface ProblemFault {
  path: string;
  code: string;
  message: string;
  line?: number;
  column?: number;
}

/** RFC 9457, as the API answers it, or as this program says what it found itself; `status` is of an answer only. */
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

/** Why a command ends without its result: told without a stack. */
export class Failure extends Error {
  readonly problem: Problem;
  readonly exitCode: ExitCode;
  /** What to do about it; a line each. */
  readonly advice: readonly string[];

  constructor(problem: Problem, exitCode: ExitCode, advice: readonly string[] = []) {
    super(problem.detail);
    this.name = 'Failure';
    this.problem = problem;
    this.exitCode = exitCode;
    this.advice = advice;
  }
}

/** What this program itself has found. */
export const failure = (
  code: string,
  title: string,
  detail: string,
  exitCode: ExitCode,
  advice: readonly string[] = [],
): Failure => new Failure({ type: 'about:blank', title, code, detail }, exitCode, advice);

/** The command line, its input or the settings have to be corrected. */
export const usage = (detail: string, advice: readonly string[] = []): Failure =>
  failure('usage', 'The command can not be carried out', detail, EXIT.usage, advice);
