/** One kind of problem, as the catalogue describes it. */
export interface ProblemKind {
  /** HTTP status of every answer with this code. */
  readonly status: number;
  /** Short, and the same in every answer (RFC 9457, 3.1.3). */
  readonly title: string;
  readonly meaning: string;
  readonly advice: string;
}
