import type { FaultCode } from './fault-codes.js';

/** One fault in a request or record: an entry of `errors[]` of a problem answer (RFC 9457). */
export interface ProblemItem {
  /** JSON pointer (RFC 6901) into the validated document, such as `/steps/0/command`. */
  path: string;
  /** Stable code for programs, from the catalogue. */
  code: FaultCode;
  /** Sentence for people that says how to correct the fault. */
  message: string;
  /** Line of the fault when the value is a text of several lines, from 1. */
  line?: number;
  /** Column of the fault in that line, from 1. */
  column?: number;
  /** Name of the faulty entry in such a text. */
  entry?: string;
}
