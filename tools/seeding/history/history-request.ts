/** Sample history of plans that have run at least once. */
export interface HistoryRequest {
  /** Name of an existing tenant. */
  tenant: string;
  /** Age of the oldest run. */
  days: number;
  /** Note and labels of every run. */
  note: string;
  labels: Record<string, string>;
  /** Email addresses of members. */
  starters: string[];
  approver: string;
  plans: PlanHistory[];
}

export interface PlanHistory {
  plan: string;
  /** Runs per week by the name of the environment. */
  weekly: Record<string, number>;
  /** Text of the latest real run, and texts that replace it in older runs, oldest first; absent: none. */
  replace?: { text: string; by: string[] };
  /** Fraction of runs that fail. */
  failing: number;
  failures: PastFailure[];
}

/** Cause of a failure on one host. `{host}` and `{release}` are placeholders. */
export interface PastFailure {
  /** Key of the step; absent: the host is unreachable. */
  step?: string;
  exitCode?: number;
  stderr?: string[];
  /** Output of later steps that run on the failed host, by key. */
  after?: Record<string, string[]>;
}
