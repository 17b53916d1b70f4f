import type { FaultCode } from './fault-codes.js';

/** One fault in a request or record: entry of `errors[]` in a problem response (RFC 9457). */
export interface ProblemItem {
  /** JSON pointer (RFC 6901) into the validated document, such as `/steps/0/command`. */
  path: string;
  code: FaultCode;
  message: string;
  /** Line of the fault, from 1, if the value is a text of several lines. */
  line?: number;
  column?: number;
  /** Name of the faulty entry in a text of several entries. */
  entry?: string;
}
