/** Who drives a run, or a slice of it, and since which take-over: each write of a worker carries it. */
export interface Fence {
  owner: string;
  epoch: number;
  /** The slice that is driven; absent: the run itself. */
  sliceId?: string;
}

/** The run is no longer this worker's: it stops, detaches, and kills nothing. */
export class OwnershipLost extends Error {
  constructor() {
    super('The run has another owner.');
    this.name = 'OwnershipLost';
  }
}
