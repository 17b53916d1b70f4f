import { ApiProperty } from '@nestjs/swagger';
import { FAULT_CODES } from '../errors/fault-codes.js';
import { PROBLEM_CODES } from '../errors/problem-codes.js';
import type { ProblemKind } from '../errors/problems/problem-kind.js';

/** A problem code and its meaning. */
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
  /** Cause of the problem. */
  meaning: string;
  /** What the caller can do. */
  advice: string;
}

/** A fault code and its meaning. */
export class FaultKindView {
  /** @example "unknown_field" */
  code: string;
  meaning: string;
}

/** All codes of problems and faults. */
export class ProblemCatalogueView {
  /** Values of `code`, sorted by status. */
  @ApiProperty({ type: [ProblemKindView] })
  problems: ProblemKindView[];
  /** Values of `errors[].code`, sorted by name. */
  @ApiProperty({ type: [FaultKindView] })
  faults: FaultKindView[];
}

const problemEntries: [string, ProblemKind][] = Object.entries(PROBLEM_CODES);

export const PROBLEM_CATALOGUE: ProblemCatalogueView = {
  problems: problemEntries
    .map(([code, { status, title, meaning, advice }]) => ({ code, status, title, meaning, advice }))
    .sort((a, b) => a.status - b.status || a.code.localeCompare(b.code)),
  faults: Object.entries(FAULT_CODES).map(([code, meaning]) => ({ code, meaning })),
};
