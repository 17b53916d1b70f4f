/** Owner of a run or slice, and the epoch of its lease. Each write of a worker checks both. */
export interface OwnershipFence {
  owner: string;
  epoch: number;
  /** Slice that the worker advances; absent = the run itself. */
  sliceId?: string;
}

/** The run no longer belongs to this worker. The worker stops and detaches, but does not end commands on hosts. */
export class OwnershipLostError extends Error {
  constructor() {
    super('The run has another owner.');
    this.name = 'OwnershipLostError';
  }
}
