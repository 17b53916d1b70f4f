/** Owner of a run or slice and its epoch; each write of a worker checks it. */
export interface Fence {
  owner: string;
  epoch: number;
  /** Driven slice; absent: the run itself. */
  sliceId?: string;
}

/** The run no longer belongs to this worker: it stops, detaches and kills nothing. */
export class OwnershipLost extends Error {
  constructor() {
    super('The run has another owner.');
    this.name = 'OwnershipLost';
  }
}
