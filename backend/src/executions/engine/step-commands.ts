import type { CommandStep, PlanStep } from '../../plans/plan-content.js';
import type { CommandFacts, FactNeeds } from '../../plans/variables/command-facts.js';
import { conditionNeeds, evaluateCondition } from '../../plans/variables/condition.js';
import { composeScript } from '../../plans/variables/environment-script.js';
import { commandNeeds, renderCommand } from '../../plans/variables/render-command.js';
import type { RunHost, RunMaterial } from './run-material.js';
import type { FactsOfSteps } from './step-facts.js';

/** Which start a script is for: told to the command in its environment. */
export interface StartNames {
  dispatchId: string;
  executionId: string;
  attempt: number;
}

type Texts = { command: string; unless: string | undefined };

/** The texts of one step, rendered once when they are the same on every host. */
export class StepCommands {
  private readonly needs: FactNeeds;
  private same: Texts | null = null;

  constructor(
    private readonly material: Pick<RunMaterial, 'values' | 'exports' | 'markOf'>,
    readonly step: PlanStep,
    private readonly facts: FactsOfSteps,
  ) {
    this.needs = step.type === 'command' ? needsOfCommand(step, material.values) : { steps: false, host: false };
  }

  /** Whether the facts of earlier steps have to be loaded for a step. */
  static needFacts(step: PlanStep, values: RunMaterial['values']): boolean {
    const condition = step.when !== null && conditionNeeds(step.when, values).steps;
    return condition || (step.type === 'command' && needsOfCommand(step, values).steps);
  }

  /** Whether the step's condition holds on the host. @throws CommandTemplateError */
  holds(host: RunHost): boolean {
    const { when } = this.step;
    return when === null || evaluateCondition(when, { values: this.material.values, facts: this.factsOf(host) });
  }

  /** Renders what can fail to be rendered. @throws CommandTemplateError */
  check(host: RunHost): void {
    if (this.step.type === 'command') this.texts(this.step, host);
  }

  /** The word that the trailer of the command begins with; null when it has none. */
  mark(dispatchId: string): string | null {
    const { step } = this;
    if (step.type !== 'command' || (step.unless === null && step.outputs.length === 0)) return null;
    return this.material.markOf(dispatchId);
  }

  /** @throws CommandTemplateError */
  script(step: CommandStep, host: RunHost, names: StartNames): string {
    const { command, unless } = this.texts(step, host);
    return composeScript({
      command,
      exports: this.material.exports,
      unless,
      outputs: step.outputs.length > 0,
      workingDirectory: step.workingDirectory ?? undefined,
      environment: {
        ...step.environment,
        RUNWARD_DISPATCH_ID: names.dispatchId,
        RUNWARD_EXECUTION_ID: names.executionId,
        RUNWARD_STEP: step.key,
        RUNWARD_ATTEMPT: String(names.attempt),
      },
      become: step.become ?? undefined,
      mark: this.material.markOf(names.dispatchId),
    });
  }

  private texts(step: CommandStep, host: RunHost): Texts {
    if (this.same) return this.same;
    const alike = !this.needs.host && !this.needs.steps;
    const facts = alike ? undefined : this.factsOf(host);
    const { values } = this.material;
    const texts = {
      command: renderCommand(step.command, values, facts),
      unless: step.unless === null ? undefined : renderCommand(step.unless, values, facts),
    };
    if (alike) this.same = texts;
    return texts;
  }

  private factsOf({ serverId, name, tags }: RunHost): CommandFacts {
    return { host: { name, tags }, steps: this.facts(serverId) };
  }
}

function needsOfCommand(step: CommandStep, values: RunMaterial['values']): FactNeeds {
  const needs = [step.command, ...(step.unless === null ? [] : [step.unless])].map((text) =>
    commandNeeds(text, values),
  );
  return { steps: needs.some(({ steps }) => steps), host: needs.some(({ host }) => host) };
}
