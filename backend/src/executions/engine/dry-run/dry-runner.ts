import { newId } from '../../../common/ids.js';
import {
  type PlanStep,
  type ProgramStep,
  runsProgram,
  writesFile,
  type WritingStep,
} from '../../../plans/steps/types/step-types.js';
import { CommandTemplateError } from '../../../plans/rendering/render-command.js';
import { RenderForecaster } from './render-forecast.js';
import { runCheck } from './host-check.js';
import { previewFile } from './file-preview.js';
import { HostProbes } from './host-probes.js';
import { toLostCheckPrediction, predictStep, predictByCheck, predictSkip } from './predict.js';
import { type Prediction, toBlockedPrediction } from '../../steps/types/prediction.js';
import { toStoppedResult, type DryRunResult, toDryRunResult, addWarnings } from './dry-run-result.js';
import type { EarlierVerdicts } from './triggers.js';
import { loadEarlierVerdicts, type GetHostVerdicts } from './verdict-rows.js';
import type { HostStatus } from '../../lifecycle/statuses.js';
import { OwnershipLostError } from '../../store/fence.js';
import type { StopCause } from '../progress/host-outcome.js';
import { type StoredHostState, loadStoredHostStates } from '../step/stored-host-state.js';
import { retryWhileDatabaseAway } from '../lease/lease.js';
import type { RunConnections } from '../connections/run-connections.js';
import type { RunHost } from '../connections/run-context.js';
import { ProgressWriter } from '../progress/progress-writer.js';
import { type GetStepFacts, loadInheritedFacts, GET_NO_FACTS } from '../step/step-facts.js';
import { StepControl } from '../step/step-control.js';
import type { EngineContext } from '../step/engine-context.js';
import type { StepWork } from '../step/step-work.js';

const PROTECTION_CACHE_MS = 1_000;

const probesByConnections = new WeakMap<RunConnections, HostProbes>();

export class DryRunner implements StepWork {
  private readonly control = new StepControl();
  private readonly step: PlanStep;
  private readonly forecaster: RenderForecaster;
  private readonly probes: HostProbes;
  private readonly writer: ProgressWriter;
  private protection: { at: number; answer: Promise<boolean> } | null = null;
  private done: Promise<unknown> = Promise.resolve();
  /** Facts that the run inherited from the run it continues. A dry run produces no facts of its own. */
  private taken: GetStepFacts = GET_NO_FACTS;

  constructor(
    private readonly context: EngineContext,
    private readonly stepIndex: number,
    statuses: readonly [string, HostStatus][],
  ) {
    const { units, lease, runContext, connections } = context;
    const step = runContext.steps[stepIndex];
    if (!step) throw new Error(`The run has no step ${stepIndex}.`);
    this.step = step;
    this.forecaster = new RenderForecaster(runContext, stepIndex);
    this.probes = probesByConnections.get(connections) ?? new HostProbes(runContext, connections);
    probesByConnections.set(connections, this.probes);
    this.writer = new ProgressWriter(units, lease, { index: stepIndex, key: step.key }, statuses);
  }

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
    const { lease, units, runContext } = this.context;
    const { ref } = lease;
    const { storedStates, verdicts, taken } = await retryWhileDatabaseAway(lease, () =>
      units.run(ref.tenantId, async (tx) => ({
        storedStates: await loadStoredHostStates(tx, ref, this.stepIndex, serverIds),
        verdicts: await loadEarlierVerdicts(tx, ref, runContext.steps, this.step, serverIds),
        taken: await loadInheritedFacts(tx, ref, runContext.steps, this.stepIndex, serverIds),
      })),
    );
    this.taken = taken;
    const outcomes = await Promise.allSettled(serverIds.map((id) => this.runHost(id, storedStates.get(id), verdicts)));
    await this.writer.closeWriter();
    const failure = outcomes.find((each): each is PromiseRejectedResult => each.status === 'rejected');
    if (failure && !this.control.detachSignal.aborted) throw failure.reason;
  }

  private async runHost(
    serverId: string,
    stored: StoredHostState | undefined,
    verdicts: GetHostVerdicts,
  ): Promise<void> {
    const host = this.context.runContext.hosts.get(serverId);
    if (!host || !stored) throw new Error('A step targets a host that the run does not have.');
    const release = await this.context.slots.takeSlot(this.context.lease.ref.tenantId, this.control.startAbortSignal);
    if (!release && this.control.detachSignal.aborted) return;
    let result: DryRunResult | null;
    try {
      result = await this.predictForHost(host, stored, verdicts(serverId));
    } finally {
      release?.();
    }
    if (result) await this.finish(serverId, result);
  }

  private async predictForHost(
    host: RunHost,
    stored: StoredHostState,
    earlier: EarlierVerdicts,
  ): Promise<DryRunResult | null> {
    const { control, step } = this;
    if (this.context.lease.lost.aborted) throw new OwnershipLostError();
    // An earlier worker began a check on this host and did not see its end.
    if (stored.dispatchId !== null) return toDryRunResult(toLostCheckPrediction());
    if (control.stopCause) return toStoppedResult(control.stopCause);
    const forecast = await this.forecaster.forecastRendering(host, earlier, this.taken(host.serverId));
    const skip = predictSkip(step, forecast);
    if (skip) return toDryRunResult(skip);
    // Not awaited: stored with the next change, whose failure is reported.
    this.writer.addChange({ serverId: host.serverId, kind: 'connecting' }).catch(() => undefined);
    const finding = await this.probes.probeHost(host, this.stepIndex, control.startAbortSignal);
    if (control.detachSignal.aborted) return null;
    if (control.stopCause || !finding) return toStoppedResult(control.stopCause ?? 'cancel');
    const checked = runsProgram(step) && step.check !== null ? step : null;
    const prediction = predictStep(step, forecast, finding, checked !== null && (await this.isProtected()));
    const { warnings = [] } = forecast.script ?? {};
    const result = addWarnings(await this.refinePrediction(host, checked, prediction), warnings);
    if ((checked || writesFile(step)) && !this.probes.hasLaterCheck(host, this.stepIndex + 1))
      this.context.connections.dropConnection(host.serverId);
    return result;
  }

  private refinePrediction(
    host: RunHost,
    checked: ProgramStep | null,
    prediction: Prediction,
  ): Promise<DryRunResult | null> {
    const { step } = this;
    if (prediction.needsCheck && checked) return this.runStepCheck(host, checked);
    if (prediction.needsCheck && writesFile(step)) return this.previewFile(host, step);
    return Promise.resolve(toDryRunResult(prediction));
  }

  /** Reads the existing file. Reading is not a command of the plan, so it needs no intent and no approval. */
  private async previewFile(host: RunHost, step: WritingStep): Promise<DryRunResult | null> {
    const { control } = this;
    const connection = await this.context.connections.getConnection(host, control.startAbortSignal);
    if (control.detachSignal.aborted) return null;
    if (control.stopCause) return toStoppedResult(control.stopCause);
    if (!('exec' in connection))
      return toDryRunResult(toBlockedPrediction(connection.code, connection.message, connection.status));
    const { prediction, diff } = await previewFile(
      connection,
      step,
      host,
      this.context.runContext,
      await this.isProtected(),
      this.taken(host.serverId),
    );
    return toDryRunResult(prediction, diff);
  }

  /**
   * Runs the step's check once. The intent is committed first: a worker that takes over must not start the check again.
   */
  private async runStepCheck(host: RunHost, step: ProgramStep): Promise<DryRunResult | null> {
    const { control, writer } = this;
    const { lease, connections, runContext } = this.context;
    const { serverId } = host;
    const script = await this.renderCheckScript(step, host);
    if (typeof script !== 'string') return toDryRunResult(script);
    const connection = await connections.getConnection(host, control.startAbortSignal);
    if (control.detachSignal.aborted) return null;
    if (control.stopCause) return toStoppedResult(control.stopCause);
    if (!('exec' in connection))
      return toDryRunResult(toBlockedPrediction(connection.code, connection.message, connection.status));
    const intent = { dispatchId: newId(), attempt: 1, before: { stdout: 0, stderr: 0 }, journaled: false };
    await writer.addChange({ serverId, kind: 'dispatch', ...intent });
    await lease.requireValid();
    if (control.detachSignal.aborted) return null;
    if (control.stopCause) return toStoppedResult(control.stopCause);
    const { end, output, stopped } = await runCheck(connection, script, {
      control,
      redactor: runContext.redactor,
      timeoutMs: step.timeoutSeconds * 1000,
      onStarted: () => {
        writer
          .addChange({ serverId, kind: 'started', first: true, journaled: false, before: null })
          .catch(() => undefined);
      },
      giveUp: () => connections.dropConnection(serverId),
    });
    if (end.kind === 'lost') connections.dropConnection(serverId);
    if (stopped && stopped !== 'step_timeout') return toStoppedResult(stopped);
    return toDryRunResult(predictByCheck(step, end), output);
  }

  private async renderCheckScript(step: ProgramStep, host: RunHost): Promise<string | Prediction> {
    try {
      const { executionId } = this.context.lease.ref;
      return await this.forecaster.renderCheckScript(step, host, executionId, this.taken(host.serverId));
    } catch (error) {
      if (error instanceof CommandTemplateError || error instanceof RangeError)
        return toBlockedPrediction('check_not_rendered', `The check cannot be rendered: ${error.message}`);
      throw error;
    }
  }

  private isProtected(): Promise<boolean> {
    const now = performance.now();
    if (!this.protection || now - this.protection.at > PROTECTION_CACHE_MS) {
      const { lease, runContext } = this.context;
      this.protection = { at: now, answer: retryWhileDatabaseAway(lease, () => runContext.isEnvironmentProtected()) };
    }
    return this.protection.answer;
  }

  private async finish(serverId: string, { outcome, verdict, diff }: DryRunResult): Promise<void> {
    const { lease, runContext } = this.context;
    if (lease.lost.aborted) throw new OwnershipLostError();
    const message = outcome.message === null ? null : runContext.redactor.text(outcome.message);
    await this.writer.addChange({
      serverId,
      kind: 'finished',
      outcome: { ...outcome, message },
      totals: null,
      ...(verdict === null ? {} : { verdict }),
      ...(diff === null ? {} : { diff }),
    });
  }
}
