import type { FaultCode } from './fault-codes.js';

/** One fault in a request or a record, as it stands in `errors[]` of a problem answer (RFC 9457). */
export interface ProblemItem {
  /** JSON pointer (RFC 6901) into the checked document, such as `/steps/0/command`. */
  path: string;
  /** Stable snake_case word for programs, from the catalogue. */
  code: FaultCode;
  /** A sentence for people that says what to do. */
  message: string;
  /** Line of a text that the value holds, where one is at fault. */
  line?: number;
  /** Column in that line, from 1. */
  column?: number;
  /** Name of what is at fault within such a text. */
  entry?: string;
}
