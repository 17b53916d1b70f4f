import { getDefinition, type PlanStep, type ProgramStep, runsProgram } from '../../../plans/steps/types/step-types.js';
import { type RunStep, listStepConditions } from '../../record/run-content.js';
import { selectScopeFacts } from '../../scopes/scope-facts.js';
import { pickFacts } from '../../../inventory/facts/host-facts.js';
import type { CommandFacts, FactNeeds } from '../../../plans/rendering/command-facts.js';
import { composeScript } from '../../../plans/shell/environment-script.js';
import { CommandTemplateError } from '../../../plans/rendering/render-command.js';
import { listStepReferences } from '../../continuation/step-references.js';
import type { RunHost, RunContext } from '../connections/run-context.js';
import { findStepScript, toStartingStep, renderStepCommand, findStepFactNeeds } from '../../steps/step-command.js';
import { RenderingTurns } from '../../steps/turns.js';
import {
  type ForecastScript,
  isRenderingFault,
  type RenderForecast,
  type RenderingFault,
  type RenderingForecast,
} from '../../steps/types/prediction.js';
import type { StartingStep } from '../../steps/types/run-step-types.js';
import { listScriptWarnings } from '../../steps/types/script.js';
import { type EarlierVerdicts, wouldBeTriggered } from './triggers.js';

type RenderingContext = Pick<RunContext, 'steps' | 'callOutputs' | 'valuesFor' | 'valuesOf'>;

/** Predicts everything that needs no host: conditions, handlers, and whether a step's texts can be rendered. */
export class RenderForecaster {
  private readonly step: RunStep;
  private readonly afterChanges: boolean;
  /**
   * Rendering of the step's command and check, by `kind` of the host. Used only if they depend on nothing else of a
   * host.
   */
  private readonly sameCommand = new Map<string, RenderingForecast>();
  private readonly sameCheck = new Map<string, RenderingForecast>();
  private readonly turns = new RenderingTurns();
  private readonly read: readonly string[];
  private needs: FactNeeds | RenderingFault | null = null;

  constructor(
    private readonly runContext: RenderingContext,
    stepIndex: number,
  ) {
    const step = runContext.steps[stepIndex];
    if (!step) throw new Error(`The run has no step ${stepIndex}.`);
    this.step = step;
    const { steps, valuesFor } = runContext;
    const { sources } = valuesFor(null);
    const namesIn = (scope: number | null) => valuesFor(scope).values;
    this.read = listStepReferences({ steps, namesIn }, stepIndex, sources.library).map(({ key }) => key);
    this.afterChanges = runContext.steps.slice(0, stepIndex).some(mayChangeHosts);
  }

  async forecastRendering(
    host: RunHost,
    earlier: EarlierVerdicts,
    taken: InheritedStepFacts = {},
  ): Promise<RenderForecast> {
    const known = this.read.length > 0 && this.read.every((key) => Object.hasOwn(taken, key));
    const facts = known ? this.buildCommandFacts(host, taken) : null;
    const { step, runContext } = this;
    const starting = toStartingStep(step);
    return {
      condition: await this.forecastCondition(host, known ? taken : null),
      triggered: wouldBeTriggered(step, runContext.steps, earlier),
      command: starting ? await this.forecastCommand(starting, host, facts) : 'rendered',
      check: await this.forecastCheck(host, facts),
      afterChanges: this.afterChanges,
      ...(await this.forecastScript(host)),
    };
  }

  async renderCheckScript(
    step: ProgramStep,
    host: RunHost,
    executionId: string,
    taken: InheritedStepFacts = {},
  ): Promise<string> {
    const { exports, sources } = this.getHostValues(host);
    const { renderer, values } = sources;
    return composeScript({
      command: await renderer.text('command', step.check ?? '', values, this.buildCommandFacts(host, taken)),
      exports,
      workingDirectory: step.workingDirectory,
      environment: { ...step.environment, RUNWARD_EXECUTION_ID: executionId, RUNWARD_STEP: step.key },
      become: step.become,
    });
  }

  private async forecastScript(host: RunHost): Promise<{ script?: ForecastScript }> {
    const { library } = this.getHostValues(host).sources;
    const script = await renderOrFault(() => findStepScript(this.step, library));
    if (script === null || isRenderingFault(script)) return {};
    return { script: { program: script.program, warnings: listScriptWarnings(script) } };
  }

  private async forecastCondition(
    host: RunHost,
    taken: InheritedStepFacts | null,
  ): Promise<RenderForecast['condition']> {
    for (const { when, values: scope, prefix } of listStepConditions(this.step)) {
      const { values, renderer } = this.runContext.valuesOf(host, scope).sources;
      const needs = taken ? null : await renderOrFault(() => renderer.needs('condition', when, values));
      if (needs && isRenderingFault(needs)) return needs;
      if (needs?.steps) return 'needs_results';
      const facts = factsOf(host, selectScopeFacts(this.runContext, prefix, taken ?? {}));
      const holds = await renderOrFault(() => renderer.decide(when, { values, facts }));
      if (holds !== true) return holds;
    }
    return true;
  }

  private getHostValues(host: RunHost) {
    return this.runContext.valuesOf(host, this.step.scope?.values ?? null);
  }

  private buildCommandFacts(host: RunHost, taken: InheritedStepFacts = {}): CommandFacts {
    return factsOf(host, selectScopeFacts(this.runContext, this.step.scope?.prefix ?? '', taken));
  }

  private async forecastCommand(
    step: StartingStep,
    host: RunHost,
    known: CommandFacts | null,
  ): Promise<RenderingForecast> {
    const same = this.sameCommand.get(host.kind);
    if (same) return same;
    await this.turns.waitForTurn();
    const { sources } = this.getHostValues(host);
    this.needs ??= await renderOrFault(() => findStepFactNeeds(step, sources));
    const { needs } = this;
    if (isRenderingFault(needs)) return needs;
    if (needs.steps && !known) return 'needs_results';
    const facts = known ?? factsOf(host);
    const rendering = await renderOrFault(() =>
      renderStepCommand(step, sources, facts).then((): RenderingForecast => 'rendered'),
    );
    if (!needs.host && !needs.steps) this.sameCommand.set(host.kind, rendering);
    return rendering;
  }

  private async forecastCheck(host: RunHost, known: CommandFacts | null): Promise<RenderingForecast> {
    const { step } = this;
    if (!runsProgram(step) || step.check === null) return 'rendered';
    const same = this.sameCheck.get(host.kind);
    if (same) return same;
    await this.turns.waitForTurn();
    const { check } = step;
    const { values, renderer } = this.getHostValues(host).sources;
    const needs = await renderOrFault(() => renderer.needs('command', check, values));
    if (isRenderingFault(needs)) return needs;
    if (needs.steps && !known) return 'needs_results';
    const rendering = await renderOrFault(async (): Promise<RenderingForecast> => {
      await renderer.text('command', check, values, known ?? factsOf(host));
      return 'rendered';
    });
    if (!needs.host && !needs.steps) this.sameCheck.set(host.kind, rendering);
    return rendering;
  }
}

export type InheritedStepFacts = CommandFacts['steps'];

export const factsOf = (
  { name, tags }: Pick<RunHost, 'name' | 'tags'>,
  taken: InheritedStepFacts = {},
): CommandFacts => ({
  host: { name, tags, facts: pickFacts(tags) },
  steps: taken,
});

const mayChangeHosts = (step: PlanStep): boolean => getDefinition(step).mayChangeHosts(step);

async function renderOrFault<T>(evaluate: () => T | Promise<T>): Promise<T | RenderingFault> {
  try {
    return await evaluate();
  } catch (error) {
    if (error instanceof CommandTemplateError) return { fault: error.message };
    throw error;
  }
}
