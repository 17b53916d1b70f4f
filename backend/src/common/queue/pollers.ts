/** Source that starts and ends pollers; pg-boss in production. */
export interface PollerSource<Job> {
  /** Starts a poller that takes one job after another. Returns a function that ends it after its current job. */
  begin(handle: (job: Job) => Promise<void>): Promise<() => void>;
}

/**
 * Pollers of a queue: one more than running jobs, within the number of slots. An idle queue has one poller, however
 * many slots it has. A poller that takes a job starts the next one, which polls at once.
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

  async start(): Promise<void> {
    await this.begin();
  }

  /** Stops starting pollers. The owner of the queue ends the existing ones. */
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
