import { Failure, unexpectedFailure } from '../terminal/failure.ts';
import type { Output } from '../terminal/output.ts';

export function reportError(out: Output, error: unknown): void {
  out.failure(error instanceof Failure ? error : unexpectedFailure(error));
}

/** Prints a result. An error of the expression of --jq is only reported, so that it cannot hide the result of the run. */
export function printResult(out: Output, print: () => void): void {
  try {
    print();
  } catch (error) {
    reportError(out, error);
  }
}
