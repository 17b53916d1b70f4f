/** Where pollers are begun and ended: pg-boss. */
export interface PollerSource<Job> {
  /** Begins one that takes a job after another, and gives the way to end it after the job that it is at. */
  begin(handle: (job: Job) => Promise<void>): Promise<() => void>;
}

/**
 * Those who ask a queue for jobs: one more than jobs are under way, within the slots. A queue with nothing to do is asked
 * by one, however many jobs it may be worked on at a time; whoever finds a job has the next one begin, which asks at once.
 */
export class Pollers<Job> {
  private pollers = 0;
  private busy = 0;
  private ended = false;

  constructor(
    private readonly source: PollerSource<Job>,
    private readonly slots: number,
    private readonly handler: (job: Job) => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Begins the first one. */
  async start(): Promise<void> {
    await this.begin();
  }

  /** Begins no more. Those that there are are ended by who ends the queue. */
  end(): void {
    this.ended = true;
  }

  private async begin(): Promise<void> {
    this.pollers += 1;
    try {
      let leave: () => void = () => undefined;
      leave = await this.source.begin((job) => this.handle(job, () => leave()));
    } catch (error) {
      this.pollers -= 1;
      throw error;
    }
  }

  private async handle(job: Job, leave: () => void): Promise<void> {
    this.busy += 1;
    if (!this.ended && this.pollers === this.busy && this.pollers < this.slots) this.begin().catch(this.onError);
    try {
      await this.handler(job);
    } finally {
      this.busy -= 1;
      if (!this.ended && this.pollers > this.busy + 1) {
        this.pollers -= 1;
        leave();
      }
    }
  }
}
