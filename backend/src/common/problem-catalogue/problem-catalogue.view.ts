import { ApiProperty } from '@nestjs/swagger';
import { FAULT_CODES } from '../errors/fault-codes.js';
import { PROBLEM_CODES } from '../errors/problem-codes.js';
import type { ProblemKind } from '../errors/problems/problem-kind.js';

/** One kind of problem: what its code stands for. */
export class ProblemKindView {
  /** @example "run_overlap" */
  code: string;
  /**
   * HTTP status of every answer with this code.
   * @example 409
   */
  status: number;
  /** @example "Overlapping run" */
  title: string;
  /** When it happens. */
  meaning: string;
  /** What the caller can do about it. */
  advice: string;
}

/** One kind of fault in a request. */
export class FaultKindView {
  /** @example "unknown_field" */
  code: string;
  meaning: string;
}

/** Every code that an answer may carry. */
export class ProblemCatalogueView {
  /** Values of `code`, by status. */
  @ApiProperty({ type: [ProblemKindView] })
  problems: ProblemKindView[];
  /** Values of `errors[].code`, by name. */
  @ApiProperty({ type: [FaultKindView] })
  faults: FaultKindView[];
}

const problems: [string, ProblemKind][] = Object.entries(PROBLEM_CODES);

export const CATALOGUE: ProblemCatalogueView = {
  problems: problems
    .map(([code, { status, title, meaning, advice }]) => ({ code, status, title, meaning, advice }))
    .sort((a, b) => a.status - b.status || a.code.localeCompare(b.code)),
  faults: Object.entries(FAULT_CODES).map(([code, meaning]) => ({ code, meaning })),
};
