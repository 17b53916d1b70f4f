import type { CommandStep, PlanStep } from '../../plans/plan-content.js';
import type { CommandFacts } from '../../plans/variables/command-facts.js';
import { conditionNeeds, evaluateCondition } from '../../plans/variables/condition.js';
import { composeScript } from '../../plans/variables/environment-script.js';
import { commandNeeds, CommandTemplateError, renderCommand } from '../../plans/variables/render-command.js';
import type { RunHost, RunMaterial } from '../engine/run-material.js';
import type { Fault, Foreseen, Rendering } from './predict.js';
import { type EarlierVerdicts, isTriggered } from './triggers.js';

type Material = Pick<RunMaterial, 'steps' | 'values' | 'exports'>;

/** Tells of one step what needs no host: conditions, handlers, and whether its texts can be rendered. */
export class Foresight {
  private readonly step: PlanStep;
  private readonly afterChanges: boolean;
  /** Renderings that are the same on every host, by template. */
  private readonly same = new Map<string, Rendering>();

  constructor(
    private readonly material: Material,
    stepIndex: number,
  ) {
    const step = material.steps[stepIndex];
    if (!step) throw new Error(`The run has no step ${stepIndex}.`);
    this.step = step;
    this.afterChanges = material.steps
      .slice(0, stepIndex)
      .some((earlier) => earlier.type === 'command' && !earlier.readOnly);
  }

  of(host: RunHost, earlier: EarlierVerdicts): Foreseen {
    const { step, material } = this;
    const command = step.type === 'command' ? step : null;
    return {
      condition: this.condition(host),
      triggered: isTriggered(step, material.steps, earlier),
      command: command ? this.all([command.command, command.unless], host) : 'rendered',
      check: command ? this.all([command.check], host) : 'rendered',
      afterChanges: this.afterChanges,
    };
  }

  /** The script of a check that can be rendered. @throws CommandTemplateError, RangeError */
  checkScript(step: CommandStep, host: RunHost, executionId: string): string {
    return composeScript({
      command: renderCommand(step.check ?? '', this.material.values, factsOf(host)),
      exports: this.material.exports,
      workingDirectory: step.workingDirectory,
      environment: { ...step.environment, RUNWARD_EXECUTION_ID: executionId, RUNWARD_STEP: step.key },
      become: step.become,
    });
  }

  private condition(host: RunHost): Foreseen['condition'] {
    const { when } = this.step;
    if (when === null) return true;
    const { values } = this.material;
    if (conditionNeeds(when, values).steps) return 'needs_results';
    return attempt(() => evaluateCondition(when, { values, facts: factsOf(host) }));
  }

  private all(templates: readonly (string | null)[], host: RunHost): Rendering {
    const renderings = templates.flatMap((each) => (each === null ? [] : [this.rendering(each, host)]));
    return (
      renderings.find((each) => typeof each === 'object') ??
      (renderings.includes('needs_results') ? 'needs_results' : 'rendered')
    );
  }

  private rendering(template: string, host: RunHost): Rendering {
    const known = this.same.get(template);
    if (known) return known;
    const { values } = this.material;
    const needs = commandNeeds(template, values);
    const rendering = needs.steps
      ? 'needs_results'
      : attempt((): Rendering => {
          renderCommand(template, values, factsOf(host));
          return 'rendered';
        });
    if (!needs.host || needs.steps) this.same.set(template, rendering);
    return rendering;
  }
}

const factsOf = ({ name, tags }: RunHost): CommandFacts => ({ host: { name, tags }, steps: {} });

function attempt<T>(evaluate: () => T): T | Fault {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof CommandTemplateError) return { fault: error.message };
    throw error;
  }
}
