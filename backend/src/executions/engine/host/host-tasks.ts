import type { HostStatus } from '../../lifecycle/statuses.js';
import type { FactNeeds } from '../../../plans/rendering/command-facts.js';
import { createLaterTargetMatcher } from '../../steps/step-targets.js';
import { AttemptClearance } from '../step/attempt-clearance.js';
import { HostTask } from './host-task.js';
import { loadStoredHostStates } from '../step/stored-host-state.js';
import type { StepContext } from '../step/step-context.js';
import { JournalEntries } from '../connections/journal-entries.js';
import { retryWhileDatabaseAway } from '../lease/retry-while-database-away.js';
import { ProgressWriter } from '../progress/progress-writer.js';
import { StepCommands } from '../step/step-commands.js';
import type { StepControl } from '../step/step-control.js';
import { type GetStepFacts, loadStepFacts, GET_NO_FACTS } from '../step/step-facts.js';
import type { EngineContext } from '../step/engine-context.js';

/** Bytes of the output limit that are reserved for the end of the output. */
const TAIL_BYTES = 128 * 1024;

/** Tasks for the hosts of one step in this worker. Hosts may reach the step at different times. */
export class HostTasks {
  private step: StepContext | null = null;
  private readonly facts = new Map<string, GetStepFacts>();

  constructor(
    private readonly context: EngineContext,
    private readonly control: StepControl,
    private readonly stepIndex: number,
  ) {}

  /** Creates one task per host from the state that the previous worker stored. Do not call again before it resolves. */
  async openTasks(serverIds: readonly string[]): Promise<Map<string, HostTask>> {
    const { units, runContext, lease } = this.context;
    const { ref } = lease;
    const planStep = runContext.steps[this.stepIndex];
    if (!planStep) throw new Error(`The run has no step ${this.stepIndex}.`);
    const needs = await StepCommands.findFactNeeds(planStep, runContext);
    const { storedStates, facts } = await retryWhileDatabaseAway(lease, () =>
      units.run(ref.tenantId, async (tx) => ({
        storedStates: await loadStoredHostStates(tx, ref, this.stepIndex, serverIds),
        facts: needs.steps ? await loadStepFacts(tx, ref, runContext.steps, this.stepIndex, serverIds) : GET_NO_FACTS,
      })),
    );
    for (const id of serverIds) this.facts.set(id, facts);
    const statuses = [...storedStates].map(([id, { status }]): [string, HostStatus] => [id, status]);
    this.step ??= this.openStepContext(needs);
    this.step.writer.setStatuses(statuses);
    const { step } = this;
    step.commands.expectHosts(serverIds.flatMap((id) => runContext.hosts.get(id) ?? []));
    return new Map(
      serverIds.map((id): [string, HostTask] => {
        const host = runContext.hosts.get(id);
        const stored = storedStates.get(id);
        if (!host || !stored) throw new Error('A step targets a host that the run does not have.');
        return [id, new HostTask(step, host, stored)];
      }),
    );
  }

  async closeTasks(): Promise<void> {
    await this.step?.writer.closeWriter();
  }

  private openStepContext(needs: FactNeeds): StepContext {
    const { units, store, runContext, connections, lease, slots, settings } = this.context;
    const { control, stepIndex } = this;
    const planStep = runContext.steps[stepIndex];
    if (!planStep) throw new Error(`The run has no step ${stepIndex}.`);
    const { outputLimitBytes, hostJournal, recoverySeconds } = settings;
    const tailBytes = Math.min(TAIL_BYTES, Math.floor(outputLimitBytes / 2));
    const keepsJournal = hostJournal && runContext.hostJournal;
    if (keepsJournal) connections.keepJournals();
    const facts: GetStepFacts = (id) => this.facts.get(id)?.(id) ?? {};
    return {
      stepIndex,
      runContext,
      connections,
      lease,
      slots,
      control,
      clearance: new AttemptClearance(store, lease, control),
      commands: new StepCommands(runContext, planStep, needs, facts),
      writer: new ProgressWriter(units, lease, { index: stepIndex, key: planStep.key }, [], (tx, serverIds) =>
        store.recordFullHomes(tx, lease.ref, { stepKey: planStep.key, serverIds }),
      ),
      journal: new JournalEntries(lease.ref.executionId, runContext.speaker, lease.generation, outputLimitBytes),
      keepsJournal,
      isNeededLater: createLaterTargetMatcher(runContext.steps, stepIndex),
      recoveryMs: recoverySeconds * 1000,
      outputLimits: { headBytes: outputLimitBytes - tailBytes, tailBytes },
    };
  }
}
