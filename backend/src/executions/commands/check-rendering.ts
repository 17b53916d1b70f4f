import { invalidRequest } from '../../common/errors/problem.js';
import type { PlanContent, PlanStep } from '../../plans/plan-content.js';
import { commandNeeds, CommandTemplateError, renderCommand } from '../../plans/variables/render-command.js';
import { type StartingStep, stepCommand, stepNeeds, type StepSources } from '../steps/step-command.js';

/**
 * Renders everything that the steps start with the start's values, so that a run is refused now rather than halfway.
 * @throws Problem 400
 */
export async function checkRendering(content: PlanContent, sources: StepSources): Promise<void> {
  for (const step of content.steps) {
    if (!starts(step)) continue;
    try {
      // What a host or an earlier step tells is known only when the step runs.
      const needs = await stepNeeds(step, sources);
      if (!needs.host && !needs.steps) await stepCommand(step, sources);
      if (step.type !== 'template' && step.check !== null) checkText(step.check, sources);
    } catch (error) {
      if (!(error instanceof CommandTemplateError)) throw error;
      throw invalidRequest(
        [{ path: '/variables', code: 'command_not_rendered', message: `Step "${step.key}": ${error.message}` }],
        'The run was not started.',
      );
    }
  }
}

function checkText(text: string, { values }: StepSources): void {
  const needs = commandNeeds(text, values);
  if (!needs.host && !needs.steps) renderCommand(text, values);
}

const starts = (step: PlanStep): step is StartingStep => step.type !== 'wait' && step.type !== 'gate';
