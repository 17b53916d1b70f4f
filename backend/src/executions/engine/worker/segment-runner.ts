import { setTimeout as delay } from 'node:timers/promises';
import { HostTasks } from '../host/host-tasks.js';
import type { StopCause } from '../progress/host-outcome.js';
import type { EngineContext } from '../step/engine-context.js';
import { StepControl } from '../step/step-control.js';
import type { StepWork } from '../step/step-work.js';

/**
 * Time to collect further finished hosts before the next decision, in ms: hosts often end together. It grows with the
 * duration of decisions, so that many hosts do not overload the database.
 */
const GATHER_MS = 20;
const MAX_GATHER_MS = 1_000;

export interface StepHosts {
  index: number;
  hosts: readonly string[];
}

/** Decides the next steps of idle hosts and commits the decision. @throws OwnershipLostError */
export type AdvanceHosts = (idle: readonly string[]) => Promise<readonly StepHosts[]>;

/**
 * Runs the steps of a segment on its hosts, with one slot per active host. Each host advances to its next step
 * independently. Every move is decided and stored first. A barrier is a segment of one step, from which no host
 * advances. Every stored result was observed.
 */
export class SegmentRunner implements StepWork {
  private readonly control = new StepControl();
  private readonly steps = new Map<number, HostTasks>();
  private readonly busy = new Set<string>();
  private readonly idle = new Set<string>();
  private failure: { error: unknown } | null = null;
  private someEnded = false;
  private decisionMs = 0;
  private notifyEnded: () => void = () => undefined;
  private done: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly engine: EngineContext,
    private readonly advanceHosts: AdvanceHosts | null,
  ) {}

  /**
   * Resolves when no host has a step that may begin, or when the hosts were detached. When nothing new may begin, it
   * resolves after all started commands have a result.
   * @param idle hosts whose next step is decided at once
   * @throws OwnershipLostError
   */
  async run(first: readonly StepHosts[], idle: readonly string[] = []): Promise<void> {
    const work = this.runAll(first, idle);
    this.done = work.catch(() => undefined);
    return work;
  }

  stop(cause: StopCause): void {
    this.control.stop(cause);
  }

  detach(ms: number): Promise<void> {
    return this.control.detachWithin(ms, this.done);
  }

  private async runAll(first: readonly StepHosts[], idle: readonly string[]): Promise<void> {
    for (const id of idle) this.idle.add(id);
    this.someEnded = idle.length > 0;
    await this.failOnError(() => this.beginSteps(first));
    for (;;) {
      if (this.someEnded) {
        this.someEnded = false;
        await this.failOnError(() => this.advanceIdleHosts());
      }
      if (!this.someEnded) {
        if (this.busy.size === 0) break;
        await new Promise<void>((resolve) => (this.notifyEnded = resolve));
      }
      if (this.advanceHosts) await delay(Math.max(GATHER_MS, Math.min(this.decisionMs, MAX_GATHER_MS)));
    }
    await Promise.all([...this.steps.values()].map((step) => step.closeTasks()));
    if (this.failure && !this.control.detachSignal.aborted) throw this.failure.error;
  }

  private async advanceIdleHosts(): Promise<void> {
    const { control } = this;
    if (!this.advanceHosts || this.idle.size === 0) return;
    // Nothing new may begin, so no host advances here. The driver of the run makes the next decision.
    if (this.failure || control.stopCause || control.detachSignal.aborted || control.holdSignal) return;
    const from = performance.now();
    const next = await this.advanceHosts([...this.idle]);
    this.decisionMs = performance.now() - from;
    if (!control.detachSignal.aborted) await this.beginSteps(next);
  }

  private async beginSteps(steps: readonly StepHosts[]): Promise<void> {
    for (const { index, hosts } of steps) {
      const step = this.steps.get(index) ?? new HostTasks(this.engine, this.control, index);
      this.steps.set(index, step);
      const tasks = await step.openTasks(hosts.filter((id) => !this.busy.has(id)));
      for (const [id, task] of tasks) {
        this.busy.add(id);
        this.idle.delete(id);
        void this.failOnError(() => task.run()).then(() => this.markHostEnded(id));
      }
    }
  }

  private markHostEnded(id: string): void {
    this.busy.delete(id);
    this.idle.add(id);
    this.someEnded = true;
    this.notifyEnded();
  }

  /** Records the first failure. Nothing new begins after it, but the other hosts still get their results. */
  private async failOnError(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.failure ??= { error };
    }
  }
}
