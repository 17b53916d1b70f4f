import { invalidRequest } from '../../common/errors/problem.js';
import type { PlanContent } from '../../plans/plan-content.js';
import { commandNeeds, CommandTemplateError, renderCommand } from '../../plans/variables/render-command.js';
import type { ResolvedVariable } from '../../plans/variables/resolve-variables.js';

/** Renders every command with the start's values, so that a run is refused now rather than halfway. @throws Problem 400 */
export function checkRendering(content: PlanContent, values: readonly ResolvedVariable[]): void {
  for (const step of content.steps) {
    if (step.type !== 'command') continue;
    for (const text of [step.command, step.unless, step.check]) {
      if (text !== null) checkTemplate(step.key, text, values);
    }
  }
}

function checkTemplate(key: string, text: string, values: readonly ResolvedVariable[]): void {
  // What a host or an earlier step tells is known only when the step runs.
  const needs = commandNeeds(text, values);
  if (needs.host || needs.steps) return;
  try {
    renderCommand(text, values);
  } catch (error) {
    if (!(error instanceof CommandTemplateError)) throw error;
    throw invalidRequest(
      [{ path: '/variables', code: 'command_not_rendered', message: `Step "${key}": ${error.message}` }],
      'The run was not started.',
    );
  }
}
