import type { StopCause } from '../progress/host-outcome.js';
import { StepControl } from '../step/step-control.js';
import { HostTasks } from '../host/host-tasks.js';
import type { EngineContext } from '../step/engine-context.js';
import type { StepWork } from '../step/step-work.js';

/** Runs one step on its hosts, as many at a time as there are slots. Every result that it stores was observed. */
export class StepRunner implements StepWork {
  private readonly control = new StepControl();
  private done: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly parts: EngineContext,
    private readonly stepIndex: number,
  ) {}

  async run(serverIds: readonly string[]): Promise<void> {
    const work = this.runHosts(serverIds);
    this.done = work.catch(() => undefined);
    return work;
  }

  stop(cause: StopCause): void {
    this.control.stop(cause);
  }

  detach(ms: number): Promise<void> {
    return this.control.detachWithin(ms, this.done);
  }

  private async runHosts(serverIds: readonly string[]): Promise<void> {
    const step = new HostTasks(this.parts, this.control, this.stepIndex);
    const runs = await step.take(serverIds);
    const outcomes = await Promise.allSettled([...runs.values()].map((run) => run.run()));
    await step.close();
    const failure = outcomes.find((each): each is PromiseRejectedResult => each.status === 'rejected');
    if (failure && !this.control.detached.aborted) throw failure.reason;
  }
}
