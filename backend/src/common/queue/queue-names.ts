/** Doorbells of the queue (design: engine.md): jobs carry ids only; losing or repeating one is harmless. */
export const QUEUES = {
  /** Some worker should drive this run on. */
  advanceRun: 'advance-run',
} as const;

/** What an `advance-run` job carries. */
export interface AdvanceRunJob {
  tenantId: string;
  executionId: string;
}
