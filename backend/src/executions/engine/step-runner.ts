import type { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { HostStatus } from '../lifecycle/statuses.js';
import type { RunStore } from '../run-store.js';
import { AttemptClearance } from './attempt-clearance.js';
import type { StopCause } from './host-outcome.js';
import { HostRun } from './host-run.js';
import { type HostStanding, loadStandings } from './host-standing.js';
import { JournalEntries } from './journal-entries.js';
import type { HostStep } from './host-step.js';
import type { Lease } from './lease.js';
import { patiently } from './patiently.js';
import type { RunConnections } from './run-connections.js';
import type { RunMaterial } from './run-material.js';
import { RunWriter } from './run-writer.js';
import type { Slots } from './slots.js';
import { StepCommands } from './step-commands.js';
import { StepControl } from './step-control.js';
import { loadFacts, NO_FACTS } from './step-facts.js';

/** How much of the output limit is kept of its end, in bytes. */
const TAIL_BYTES = 128 * 1024;

export interface StepRunnerParts {
  units: UnitOfWork;
  store: RunStore;
  material: RunMaterial;
  connections: RunConnections;
  lease: Lease;
  slots: Slots;
  settings: EngineSettings;
}

/** The settings that the engine reads. */
export interface EngineSettings {
  outputLimitBytes: number;
  hostJournal: boolean;
  recoverySeconds: number;
  sliceHosts: number;
}

/** Gets a result for hosts of one step. */
export interface StepWork {
  /**
   * Resolves when each host has a stored result, when the hosts were left, or when the run may begin nothing new and
   * all that was begun has a result. @throws OwnershipLost
   */
  run(serverIds: readonly string[]): Promise<void>;
  /** Stops what runs and keeps the rest from starting. */
  stop(cause: StopCause): void;
  /**
   * Starts nothing new and leaves the commands that the hosts keep a journal of; others may still end. Resolves when
   * all that is done, or after `ms`.
   */
  leave(ms: number): Promise<void>;
}

/** Runs one step on its hosts, as many at a time as there are slots. Every result that it stores was observed. */
export class StepRunner implements StepWork {
  private readonly control = new StepControl();
  private done: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly parts: StepRunnerParts,
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

  async leave(ms: number): Promise<void> {
    this.control.leave();
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([this.done, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
    clearTimeout(timer);
  }

  private async runHosts(serverIds: readonly string[]): Promise<void> {
    const { standings, step } = await this.open(serverIds);
    const runs = serverIds.map((id) => {
      const host = this.parts.material.hosts.get(id);
      const standing = standings.get(id);
      if (!host || !standing) throw new Error('A step targets a host that the run does not have.');
      return new HostRun(step, host, standing).run();
    });
    const outcomes = await Promise.allSettled(runs);
    await step.writer.close();
    const failure = outcomes.find((each): each is PromiseRejectedResult => each.status === 'rejected');
    if (failure && !this.control.left.aborted) throw failure.reason;
  }

  private async open(serverIds: readonly string[]): Promise<{ standings: Map<string, HostStanding>; step: HostStep }> {
    const { units, store, material, connections, lease, slots, settings } = this.parts;
    const { control, stepIndex } = this;
    const planStep = material.steps[stepIndex];
    if (!planStep) throw new Error(`The run has no step ${stepIndex}.`);
    const needs = await StepCommands.needsOf(planStep, material);
    const { ref } = lease;
    const { standings, facts } = await patiently(lease, () =>
      units.run(ref.tenantId, async (tx) => ({
        standings: await loadStandings(tx, ref, stepIndex, serverIds),
        facts: needs.steps ? await loadFacts(tx, ref, material.steps, stepIndex, serverIds) : NO_FACTS,
      })),
    );
    const statuses = [...standings].map(([id, { status }]): [string, HostStatus] => [id, status]);
    const { outputLimitBytes, hostJournal, recoverySeconds } = settings;
    const tailBytes = Math.min(TAIL_BYTES, Math.floor(outputLimitBytes / 2));
    return {
      standings,
      step: {
        stepIndex,
        material,
        connections,
        lease,
        slots,
        control,
        clearance: new AttemptClearance(store, lease, control),
        commands: new StepCommands(material, planStep, needs, facts),
        writer: new RunWriter(units, lease, { index: stepIndex, key: planStep.key }, statuses),
        journal: new JournalEntries(ref.executionId, lease.generation, outputLimitBytes),
        keepsJournal: hostJournal && material.hostJournal,
        recoveryMs: recoverySeconds * 1000,
        outputLimits: { headBytes: outputLimitBytes - tailBytes, tailBytes },
      },
    };
  }
}
