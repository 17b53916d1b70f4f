import type { StopCause } from './host-outcome.js';
import type { HostStatus } from '../lifecycle/statuses.js';
import { RunWriter } from './run-writer.js';
import type { StepRunnerParts, StepWork } from './step-runner.js';

/** A step of a dry run: it changes nothing on the hosts and gives each a verdict. */
export class DryRunner implements StepWork {
  constructor(
    private readonly parts: StepRunnerParts,
    private readonly stepIndex: number,
    private readonly statuses: readonly [string, HostStatus][],
  ) {}

  async run(serverIds: readonly string[]): Promise<void> {
    const { units, lease, material } = this.parts;
    const key = material.steps[this.stepIndex]?.key ?? '';
    const writer = new RunWriter(units, lease, { index: this.stepIndex, key }, this.statuses);
    const outcome = { status: 'SUCCEEDED' as const, exitCode: null, signal: null, code: null, message: null };
    await Promise.all(
      serverIds.map((serverId) =>
        writer.change({ serverId, kind: 'finished', outcome, totals: null, verdict: 'CANNOT_PREDICT' }),
      ),
    );
    await writer.close();
  }

  stop(_cause: StopCause): void {}

  leave(_ms: number): Promise<void> {
    return Promise.resolve();
  }
}
