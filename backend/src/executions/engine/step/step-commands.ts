import { pickFacts } from '../../../inventory/facts/host-facts.js';
import { writesFile } from '../../../plans/steps/types/step-types.js';
import { type RunStep, listStepConditions } from '../../record/run-content.js';
import { selectScopeFacts } from '../../scopes/scope-facts.js';
import type { CommandFacts, FactNeeds } from '../../../plans/rendering/command-facts.js';
import { composeScript } from '../../../plans/shell/environment-script.js';
import { CommandTemplateError } from '../../../plans/rendering/render-command.js';
import {
  findStepFactNeeds,
  findStepScript,
  hasTrailer,
  hasVerbatimCommand,
  renderStepCommand,
  toStartingStep,
} from '../../steps/step-command.js';
import type { StepCommand } from '../../steps/types/run-step-type.js';
import { getCommandStepType, type StartingStep } from '../../steps/types/run-step-types.js';
import { listScriptWarnings } from '../../steps/types/script.js';
import { FILE_LABELS, renderFileDifference } from '../../steps/file-difference.js';
import { RenderingTurns } from '../../steps/turns.js';
import type { RunHost, RunContext } from '../connections/run-context.js';
import { RenderingPrefetch } from './rendering-prefetch.js';
import type { GetStepFacts } from './step-facts.js';

export interface StartNames {
  dispatchId: string;
  executionId: string;
  attempt: number;
}

type RenderingContext = Pick<RunContext, 'steps' | 'callOutputs' | 'valuesFor' | 'valuesOf' | 'markOf' | 'redactor'>;

/** Maximum of cached rendered commands, each for hosts with equal values. One may have about 100 KiB. */
const MAX_KEPT_COMMANDS = 16;

/** Commands of one step. Hosts with equal values share one rendered command, unless it needs other data of the host. */
export class StepCommands {
  private readonly same = new Map<string, StepCommand>();
  private readonly turns = new RenderingTurns();
  private readonly verbatim: boolean;
  /** For templates whose file differs between hosts; null: not needed. */
  private readonly prefetch: RenderingPrefetch<RunHost, StepCommand> | null;

  constructor(
    private readonly runContext: RenderingContext,
    readonly step: RunStep,
    private readonly needs: FactNeeds,
    private readonly facts: GetStepFacts,
  ) {
    const isSameForHosts = !needs.host && !needs.steps;
    const starting = toStartingStep(step);
    this.verbatim = starting !== null && hasVerbatimCommand(starting);
    this.prefetch =
      starting && getCommandStepType(starting).rendersInThread && !isSameForHosts
        ? new RenderingPrefetch(
            (host) => this.renderUncached(starting, host),
            (host) => this.isConditionTrue(host),
            ({ command, displayFile = '' }) => command.length + displayFile.length,
          )
        : null;
  }

  expectHosts(hosts: readonly RunHost[]): void {
    this.prefetch?.expectHosts(hosts);
  }

  /** Discards the data of a host that has its result or was left to another worker. */
  forgetHost(host: RunHost): void {
    this.prefetch?.dropRendering(host);
  }

  static async findFactNeeds(step: RunStep, { valuesFor }: Pick<RenderingContext, 'valuesFor'>): Promise<FactNeeds> {
    const conditions = listStepConditions(step).map(({ when, values: scope }) => {
      const { renderer, values } = valuesFor(scope).sources;
      return toNeedsOrNone(renderer.needs('condition', when, values));
    });
    const starting = toStartingStep(step);
    const { sources } = valuesFor(getValuesScope(step));
    const needs = starting ? await toNeedsOrNone(findStepFactNeeds(starting, sources)) : NO_FACT_NEEDS;
    return { steps: (await Promise.all(conditions)).some(({ steps }) => steps) || needs.steps, host: needs.host };
  }

  /**
   * Whether the conditions of the step and of all calling `plan` steps are true on the host. @throws
   * CommandTemplateError
   */
  async isConditionTrue(host: RunHost): Promise<boolean> {
    for (const { when, values: scope, prefix } of listStepConditions(this.step)) {
      const { renderer, values } = this.runContext.valuesOf(host, scope).sources;
      if (!(await renderer.decide(when, { values, facts: this.buildCommandFacts(host, prefix) }))) return false;
    }
    return true;
  }

  /** Renders everything that can fail, to report errors early. @throws CommandTemplateError */
  async checkCommand(host: RunHost): Promise<void> {
    const starting = toStartingStep(this.step);
    if (starting) await this.renderCommand(starting, host);
  }

  /** First word of the command's trailer; null: it has no trailer. */
  createMark(dispatchId: string): string | null {
    const starting = toStartingStep(this.step);
    return starting && hasTrailer(starting) ? this.runContext.markOf(dispatchId) : null;
  }

  /** @throws CommandTemplateError */
  async renderScript(step: StartingStep, host: RunHost, names: StartNames): Promise<string> {
    const { command, unless, outputs, reportsChange, workingDirectory, environment, become } = await this.renderCommand(
      step,
      host,
    );
    return composeScript({
      command,
      exports: this.runContext.valuesOf(host, getValuesScope(this.step)).exports,
      unless: unless ?? undefined,
      outputs,
      reportsChange,
      workingDirectory: workingDirectory ?? undefined,
      environment: {
        ...environment,
        RUNWARD_DISPATCH_ID: names.dispatchId,
        RUNWARD_EXECUTION_ID: names.executionId,
        RUNWARD_STEP: step.key,
        RUNWARD_ATTEMPT: String(names.attempt),
      },
      become: become ?? undefined,
      mark: this.createMark(names.dispatchId) ?? undefined,
    });
  }

  /** Messages about likely mistakes in the step's script. Empty when there are none or the step runs no script. */
  listWarnings(host: RunHost): string[] {
    const { sources } = this.runContext.valuesOf(host, getValuesScope(this.step));
    const script = findStepScript(this.step, sources.library);
    return script ? listScriptWarnings(script) : [];
  }

  /** Diff between the previous file and the file that the step wrote; null: not available. */
  async computeDifference(step: StartingStep, host: RunHost, before: Buffer | 'large' | null): Promise<string | null> {
    if (!writesFile(step) || before === null) return null;
    if (before === 'large') return 'The previous file was too large to show its lines.\n';
    const { sources } = this.runContext.valuesOf(host, getValuesScope(this.step));
    try {
      const { rendersInThread } = getCommandStepType(step);
      const after = rendersInThread ? (await this.renderCommand(step, host)).displayFile : undefined;
      const texts = { before, after, redactor: this.runContext.redactor, labels: FILE_LABELS };
      return await renderFileDifference(step, sources, this.buildCommandFacts(host), texts);
    } catch {
      return null;
    }
  }

  private renderCommand(step: StartingStep, host: RunHost): Promise<StepCommand> {
    return this.prefetch ? this.prefetch.getRendering(host) : this.renderUncached(step, host);
  }

  private async renderUncached(step: StartingStep, host: RunHost): Promise<StepCommand> {
    const isSameForHosts = !this.needs.host && !this.needs.steps;
    const kind = this.verbatim ? '' : host.kind;
    const known = isSameForHosts ? this.same.get(kind) : undefined;
    if (known) return known;
    // One rendering for all hosts needs no turn of its own.
    if (!isSameForHosts || this.same.size > 0) await this.turns.waitForTurn();
    const { sources } = this.runContext.valuesOf(host, getValuesScope(this.step));
    const command = await renderStepCommand(step, sources, isSameForHosts ? undefined : this.buildCommandFacts(host));
    if (isSameForHosts && this.same.size < MAX_KEPT_COMMANDS) this.same.set(kind, command);
    return command;
  }

  private buildCommandFacts({ serverId, name, tags }: RunHost, prefix = this.step.scope?.prefix ?? ''): CommandFacts {
    const steps = selectScopeFacts(this.runContext, prefix, this.facts(serverId));
    return { host: { name, tags, facts: pickFacts(tags) }, steps };
  }
}

const getValuesScope = ({ scope }: RunStep): number | null => scope?.values ?? null;

const NO_FACT_NEEDS: FactNeeds = { steps: false, host: false };

/** Returns no fact needs for an invalid step: its error is reported when the step's turn comes. */
async function toNeedsOrNone(needs: Promise<FactNeeds>): Promise<FactNeeds> {
  try {
    return await needs;
  } catch (error) {
    if (error instanceof CommandTemplateError) return NO_FACT_NEEDS;
    throw error;
  }
}
