import { ApiProperty } from '@nestjs/swagger';
import { FAULT_CODES } from '../errors/fault-codes.js';
import { PROBLEM_CODES } from '../errors/problem-codes.js';
import { REASON_CODES } from '../errors/reason-codes.js';
import type { ProblemKind } from '../errors/problems/problem-kind.js';

/** A problem code and its meaning. */
export class ProblemKindView {
  /**
   * Value of `code` in problems; it never changes its meaning.
   * @example "run_overlap"
   */
  code: string;
  /**
   * HTTP status of every answer with this code.
   * @example 409
   */
  status: number;
  /**
   * Short name of the problem, the same in each answer with this code.
   * @example "Overlapping run"
   */
  title: string;
  /** Cause of the problem. */
  meaning: string;
  /** What the caller can do. */
  advice: string;
}

/** The code of a fault or reason, and its meaning. */
export class CodeMeaningView {
  /**
   * Value of `code` in a reason or in an item of `errors`.
   * @example "unknown_field"
   */
  code: string;
  /** Cause, in one sentence. */
  meaning: string;
}

/** All codes of problems, faults and reasons. */
export class ProblemCatalogueView {
  /** Values of `code`, sorted by status. */
  @ApiProperty({ type: [ProblemKindView] })
  problems: ProblemKindView[];
  /** Values of `errors[].code`, sorted by name. */
  @ApiProperty({ type: [CodeMeaningView] })
  faults: CodeMeaningView[];
  /** Values of `reason.code` that are neither problems nor faults, sorted by name. */
  @ApiProperty({ type: [CodeMeaningView] })
  reasons: CodeMeaningView[];
}

const problemEntries: [string, ProblemKind][] = Object.entries(PROBLEM_CODES);

const toMeanings = (codes: Record<string, string>): CodeMeaningView[] =>
  Object.entries(codes)
    .map(([code, meaning]) => ({ code, meaning }))
    .sort((a, b) => a.code.localeCompare(b.code));

export const PROBLEM_CATALOGUE: ProblemCatalogueView = {
  problems: problemEntries
    .map(([code, { status, title, meaning, advice }]) => ({ code, status, title, meaning, advice }))
    .sort((a, b) => a.status - b.status || a.code.localeCompare(b.code)),
  faults: toMeanings(FAULT_CODES),
  reasons: toMeanings(REASON_CODES),
};
