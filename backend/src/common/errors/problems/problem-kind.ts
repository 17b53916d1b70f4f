export interface ProblemKind {
  /** HTTP status of every response with this code. */
  readonly status: number;
  /** Short, and the same in every response (RFC 9457, 3.1.3). */
  readonly title: string;
  readonly meaning: string;
  readonly advice: string;
}
