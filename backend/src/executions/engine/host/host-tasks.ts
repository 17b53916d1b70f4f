import type { HostStatus } from '../../lifecycle/statuses.js';
import type { FactNeeds } from '../../../plans/rendering/command-facts.js';
import { AttemptClearance } from '../step/attempt-clearance.js';
import { HostRun } from './host-task.js';
import { loadStandings } from '../step/stored-host-state.js';
import type { HostStep } from '../step/step-context.js';
import { JournalEntries } from '../connections/journal-entries.js';
import { patiently } from '../lease/retry-while-database-away.js';
import { RunWriter } from '../progress/progress-writer.js';
import { StepCommands } from '../step/step-commands.js';
import type { StepControl } from '../step/step-control.js';
import { type FactsOfSteps, loadFacts, NO_FACTS } from '../step/step-facts.js';
import type { StepRunnerParts } from '../step/engine-context.js';

/** How much of the output limit is kept of its end, in bytes. */
const TAIL_BYTES = 128 * 1024;

/** Hosts of one step that run in this worker; they may come to it one after another. */
export class StepHosts {
  private step: HostStep | null = null;
  private readonly facts = new Map<string, FactsOfSteps>();

  constructor(
    private readonly parts: StepRunnerParts,
    private readonly control: StepControl,
    private readonly stepIndex: number,
  ) {}

  /** What runs the step on these hosts, by host, from where the worker before left them. Not to be called again before it resolves. */
  async take(serverIds: readonly string[]): Promise<Map<string, HostRun>> {
    const { units, material, lease } = this.parts;
    const { ref } = lease;
    const planStep = material.steps[this.stepIndex];
    if (!planStep) throw new Error(`The run has no step ${this.stepIndex}.`);
    const needs = await StepCommands.needsOf(planStep, material);
    const { standings, facts } = await patiently(lease, () =>
      units.run(ref.tenantId, async (tx) => ({
        standings: await loadStandings(tx, ref, this.stepIndex, serverIds),
        facts: needs.steps ? await loadFacts(tx, ref, material.steps, this.stepIndex, serverIds) : NO_FACTS,
      })),
    );
    for (const id of serverIds) this.facts.set(id, facts);
    const statuses = [...standings].map(([id, { status }]): [string, HostStatus] => [id, status]);
    this.step ??= this.open(needs);
    this.step.writer.know(statuses);
    const { step } = this;
    return new Map(
      serverIds.map((id): [string, HostRun] => {
        const host = material.hosts.get(id);
        const standing = standings.get(id);
        if (!host || !standing) throw new Error('A step targets a host that the run does not have.');
        return [id, new HostRun(step, host, standing)];
      }),
    );
  }

  /** Stores what waits; nothing is stored of the step after it. */
  async close(): Promise<void> {
    await this.step?.writer.close();
  }

  private open(needs: FactNeeds): HostStep {
    const { units, store, material, connections, lease, slots, settings } = this.parts;
    const { control, stepIndex } = this;
    const planStep = material.steps[stepIndex];
    if (!planStep) throw new Error(`The run has no step ${stepIndex}.`);
    const { outputLimitBytes, hostJournal, recoverySeconds } = settings;
    const tailBytes = Math.min(TAIL_BYTES, Math.floor(outputLimitBytes / 2));
    const facts: FactsOfSteps = (id) => this.facts.get(id)?.(id) ?? {};
    return {
      stepIndex,
      material,
      connections,
      lease,
      slots,
      control,
      clearance: new AttemptClearance(store, lease, control),
      commands: new StepCommands(material, planStep, needs, facts),
      writer: new RunWriter(units, lease, { index: stepIndex, key: planStep.key }, []),
      journal: new JournalEntries(lease.ref.executionId, lease.generation, outputLimitBytes),
      keepsJournal: hostJournal && material.hostJournal,
      recoveryMs: recoverySeconds * 1000,
      outputLimits: { headBytes: outputLimitBytes - tailBytes, tailBytes },
    };
  }
}
