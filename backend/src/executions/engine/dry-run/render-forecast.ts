import { type CommandStep, type PlanStep, type ScriptStep, writesFile } from '../../../plans/steps/plan-content.js';
import type { RunStep } from '../../record/run-content.js';
import { factsIn } from '../../scopes/scope-facts.js';
import { conditionsOf } from '../../scopes/step-conditions.js';
import { factsAmong } from '../../../inventory/facts/host-facts.js';
import type { CommandFacts, FactNeeds } from '../../../plans/rendering/command-facts.js';
import { composeScript } from '../../../plans/shell/environment-script.js';
import { CommandTemplateError } from '../../../plans/rendering/render-command.js';
import { referencesOf } from '../../continuation/step-references.js';
import type { RunHost, RunContext } from '../connections/run-context.js';
import {
  scriptOf,
  type StartingStep,
  startingStep,
  stepCommand,
  stepNeeds,
  warningsOfStep,
} from '../../steps/step-command.js';
import { RenderingTurns } from '../../steps/turns.js';
import type { Fault, ForecastScript, RenderForecast, Rendering } from './predict.js';
import { type EarlierVerdicts, isTriggered } from './triggers.js';

type RenderingContext = Pick<RunContext, 'steps' | 'callOutputs' | 'valuesFor' | 'valuesOf'>;

/** Predicts everything that needs no host: conditions, handlers, and whether a step's texts can be rendered. */
export class RenderForecaster {
  private readonly step: RunStep;
  private readonly afterChanges: boolean;
  /**
   * Rendering of the step's command and check, by `kind` of the host. Used only if they depend on nothing else of a
   * host.
   */
  private readonly sameCommand = new Map<string, Rendering>();
  private readonly sameCheck = new Map<string, Rendering>();
  private readonly turns = new RenderingTurns();
  private readonly read: readonly string[];
  private needs: FactNeeds | Fault | null = null;

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
    this.read = referencesOf({ steps, namesIn }, stepIndex, sources.library).map(({ key }) => key);
    this.afterChanges = runContext.steps.slice(0, stepIndex).some(mayChange);
  }

  async of(host: RunHost, earlier: EarlierVerdicts, taken: InheritedStepFacts = {}): Promise<RenderForecast> {
    const known = this.read.length > 0 && this.read.every((key) => Object.hasOwn(taken, key));
    const facts = known ? this.factsOf(host, taken) : null;
    const { step, runContext } = this;
    const starting = startingStep(step);
    return {
      condition: await this.condition(host, known ? taken : null),
      triggered: isTriggered(step, runContext.steps, earlier),
      command: starting ? await this.command(starting, host, facts) : 'rendered',
      check: await this.check(host, facts),
      afterChanges: this.afterChanges,
      ...(step.type === 'script' ? await this.script(step, host) : {}),
    };
  }

  async checkScript(
    step: CommandStep | ScriptStep,
    host: RunHost,
    executionId: string,
    taken: InheritedStepFacts = {},
  ): Promise<string> {
    const { exports, sources } = this.valuesOf(host);
    const { renderer, values } = sources;
    return composeScript({
      command: await renderer.text('command', step.check ?? '', values, this.factsOf(host, taken)),
      exports,
      workingDirectory: step.workingDirectory,
      environment: { ...step.environment, RUNWARD_EXECUTION_ID: executionId, RUNWARD_STEP: step.key },
      become: step.become,
    });
  }

  private async script(step: ScriptStep, host: RunHost): Promise<{ script?: ForecastScript }> {
    const { library } = this.valuesOf(host).sources;
    const known = await attempt(() => ({
      program: scriptOf(step, library).program,
      warnings: warningsOfStep(step, library),
    }));
    return isFault(known) ? {} : { script: known };
  }

  private async condition(host: RunHost, taken: InheritedStepFacts | null): Promise<RenderForecast['condition']> {
    for (const { when, values: scope, prefix } of conditionsOf(this.step)) {
      const { values, renderer } = this.runContext.valuesOf(host, scope).sources;
      const needs = taken ? null : await attempt(() => renderer.needs('condition', when, values));
      if (needs && isFault(needs)) return needs;
      if (needs?.steps) return 'needs_results';
      const facts = factsOf(host, factsIn(this.runContext, prefix, taken ?? {}));
      const holds = await attempt(() => renderer.decide(when, { values, facts }));
      if (holds !== true) return holds;
    }
    return true;
  }

  private valuesOf(host: RunHost) {
    return this.runContext.valuesOf(host, this.step.scope?.values ?? null);
  }

  private factsOf(host: RunHost, taken: InheritedStepFacts = {}): CommandFacts {
    return factsOf(host, factsIn(this.runContext, this.step.scope?.prefix ?? '', taken));
  }

  private async command(step: StartingStep, host: RunHost, known: CommandFacts | null): Promise<Rendering> {
    const same = this.sameCommand.get(host.kind);
    if (same) return same;
    await this.turns.take();
    const { sources } = this.valuesOf(host);
    this.needs ??= await attempt(() => stepNeeds(step, sources));
    const { needs } = this;
    if (isFault(needs)) return needs;
    if (needs.steps && !known) return 'needs_results';
    const facts = known ?? factsOf(host);
    const rendering = await attempt(() => stepCommand(step, sources, facts).then((): Rendering => 'rendered'));
    if (!needs.host && !needs.steps) this.sameCommand.set(host.kind, rendering);
    return rendering;
  }

  private async check(host: RunHost, known: CommandFacts | null): Promise<Rendering> {
    const { step } = this;
    if ((step.type !== 'command' && step.type !== 'script') || step.check === null) return 'rendered';
    const same = this.sameCheck.get(host.kind);
    if (same) return same;
    await this.turns.take();
    const { check } = step;
    const { values, renderer } = this.valuesOf(host).sources;
    const needs = await attempt(() => renderer.needs('command', check, values));
    if (isFault(needs)) return needs;
    if (needs.steps && !known) return 'needs_results';
    const rendering = await attempt(async (): Promise<Rendering> => {
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
  host: { name, tags, facts: factsAmong(tags) },
  steps: taken,
});

const mayChange = (step: PlanStep): boolean =>
  writesFile(step) || ((step.type === 'command' || step.type === 'script') && !step.readOnly);

const isFault = (value: object): value is Fault => 'fault' in value;

async function attempt<T>(evaluate: () => T | Promise<T>): Promise<T | Fault> {
  try {
    return await evaluate();
  } catch (error) {
    if (error instanceof CommandTemplateError) return { fault: error.message };
    throw error;
  }
}
