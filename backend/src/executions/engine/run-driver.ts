import { Logger } from '@nestjs/common';
import type { AuditActor } from '../../audit/audit-trail.js';
import { isDatabaseAway } from '../../common/database/database-problem.js';
import type { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { JobQueue } from '../../common/queue/job-queue.js';
import type { Decision } from '../lifecycle/decide.js';
import type { RunEvent } from '../lifecycle/run-event.js';
import type { ExecutionStatus, HostStatus } from '../lifecycle/statuses.js';
import { OwnershipLost, type RunStore } from '../run-store.js';
import type { Lease } from './lease.js';
import { RunConnections } from './run-connections.js';
import type { RunMaterial, RunMaterials } from './run-material.js';
import { RunWriter } from './run-writer.js';
import type { Slots } from './slots.js';
import { StepRunner } from './step-runner.js';

/** While the database is away, in ms. */
const RETRY_MS = 500;
/** How long a worker that stops waits for commands that run, in ms: it must exit within 15 s (design: engine.md). */
const HAND_OVER_MS = 9_000;
/** Longest timer that Node.js keeps, in ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface DriverParts {
  units: UnitOfWork;
  store: RunStore;
  queue: JobQueue;
  slots: Slots;
  materials: RunMaterials;
  outputLimitBytes: number;
}

/** What is opened only once the run has something to do. */
interface Driven {
  material: RunMaterial;
  connections: RunConnections;
}

/** Drives one run while its lease holds: event, decision, commit, effect, and again. */
export class RunDriver {
  private readonly log = new Logger('Run');
  private driven: Driven | null = null;
  private deadline: NodeJS.Timeout | null = null;
  private runner: StepRunner | null = null;
  private stopCause: 'cancel' | 'deadline' | null = null;
  private handingOver = false;
  private handOverDone: Promise<void> | null = null;

  constructor(
    private readonly parts: DriverParts,
    private readonly lease: Lease,
  ) {}

  /** Resolves when the run is finished, waits for a person, was handed over, or has another owner. */
  async drive(): Promise<void> {
    this.lease.keep((status) => this.hear(status));
    // Another owner: let go of the hosts at once, and kill nothing there.
    this.lease.lost.addEventListener('abort', () => void this.letGo(), { once: true });
    try {
      await this.loop();
    } catch (error) {
      await this.giveUp(error);
    } finally {
      if (this.deadline) clearTimeout(this.deadline);
      this.lease.stop();
      this.driven?.connections.closeAll();
    }
  }

  /** Somebody asked a run to stop: look whether it is this one. */
  async look(): Promise<void> {
    await this.lease.look((status) => this.hear(status));
  }

  /** Lets running commands end if they do so soon, then leaves the run to the next worker. */
  async handOver(): Promise<void> {
    this.handingOver = true;
    this.handOverDone ??= this.runner?.finishRunning(HAND_OVER_MS) ?? Promise.resolve();
    await this.handOverDone;
    this.driven?.connections.closeAll();
  }

  private async loop(): Promise<void> {
    let decision = await this.decide({ type: 'claimed' });
    for (;;) {
      const effect = decision.effects.find((each) => each.type === 'run_step');
      if (!effect) return;
      this.driven ??= await this.prepare();
      if (!this.handingOver) await this.runStep(this.driven, effect.index, effect.hosts, decision);
      if (this.handingOver) {
        await this.handOverDone;
        return this.giveBack();
      }
      decision = await this.decide(this.eventAfterStep());
    }
  }

  private async letGo(): Promise<void> {
    await this.runner?.finishRunning(0);
    this.driven?.connections.closeAll();
  }

  private eventAfterStep(): RunEvent {
    if (this.stopCause === 'cancel') return { type: 'commands_stopped' };
    return { type: this.stopCause === 'deadline' ? 'deadline_passed' : 'step_finished' };
  }

  private async runStep(
    { material, connections }: Driven,
    index: number,
    hosts: string[],
    { state }: Decision,
  ): Promise<void> {
    const { units, slots, outputLimitBytes } = this.parts;
    const statuses = Object.entries(state.current?.hosts ?? {}).map(([id, host]): [string, HostStatus] => [
      id,
      host.status,
    ]);
    const writer = new RunWriter(units, this.lease, { index, key: material.steps[index]?.key ?? '' }, statuses);
    this.runner = new StepRunner({ material, connections, writer, lease: this.lease, slots, outputLimitBytes }, index);
    if (this.stopCause) this.runner.stop(this.stopCause);
    try {
      await this.runner.run(hosts);
    } finally {
      this.runner = null;
    }
  }

  private hear(status: ExecutionStatus): void {
    if (status === 'CANCELLING') this.stop('cancel');
  }

  private stop(cause: 'cancel' | 'deadline'): void {
    this.stopCause ??= cause;
    this.runner?.stop(this.stopCause);
  }

  private async prepare(): Promise<Driven> {
    const material = await this.patiently(() => this.parts.materials.load(this.lease.ref));
    if (material.msLeft !== null) {
      const ms = Math.min(Math.max(material.msLeft, 0), LONGEST_TIMER_MS);
      this.deadline = setTimeout(() => this.stop('deadline'), ms);
    }
    return { material, connections: new RunConnections(material) };
  }

  private decide(event: RunEvent): Promise<Decision> {
    const { ref, fence } = this.lease;
    const actor: AuditActor = { kind: 'system', tenantId: ref.tenantId, name: 'engine' };
    return this.patiently(() => this.parts.store.transition(ref, fence, actor, event));
  }

  /** Asks again while the database is away, as long as nobody else took the run. */
  private async patiently<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!isDatabaseAway(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        if (this.lease.lost.aborted) throw new OwnershipLost();
      }
    }
  }

  /** A fault of the engine itself ends the run; trying again and again would leave it neither running nor finished. */
  private async giveUp(error: unknown): Promise<void> {
    const { executionId } = this.lease.ref;
    if (error instanceof OwnershipLost) return this.log.warn(`Run ${executionId} has another owner; letting go of it.`);
    // No fault of the run's: whoever drives it next goes on.
    if (isDatabaseAway(error)) throw error;
    this.log.error(`Driving run ${executionId} failed: ${error instanceof Error ? error.stack : String(error)}`);
    await this.runner?.finishRunning(0);
    await this.decide({ type: 'engine_failed' });
  }

  /** Ends the lease now and rings for another worker, so that nobody waits for it to run out. */
  private async giveBack(): Promise<void> {
    const { ref, fence } = this.lease;
    await this.parts.units.run(ref.tenantId, async (tx) => {
      const [, count] = await tx.query<[unknown[], number]>(
        'update executions set lease_until = now() where id = $1 and owner = $2 and epoch = $3',
        [ref.executionId, fence.owner, fence.epoch],
      );
      if (count > 0) await this.parts.queue.ringAdvanceRun(tx, ref);
    });
  }
}
