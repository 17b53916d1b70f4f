import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { invalidRequest } from '../../../common/errors/problem.js';
import { type PlanStep, writesFile } from '../../../plans/steps/plan-content.js';
import type { RunContent } from '../../record/run-content.js';
import { commandNeeds, CommandTemplateError, renderCommand } from '../../../plans/rendering/render-command.js';
import { type StartingStep, stepCommand, stepNeeds, type StepSources } from '../../steps/step-command.js';

/** A usual step takes a few milliseconds; each text of one may take a second. */
const MOST_MS = 15_000;

/**
 * Renders everything that the steps start with the start's values, so that a run is refused now rather than halfway.
 * @param sourcesOf what the step is rendered with, once for each kind of values that its hosts have
 * @param now in ms, from any moment
 * @throws Problem 400
 */
export async function checkRendering(
  content: RunContent,
  sourcesOf: (stepIndex: number) => readonly StepSources[],
  now: () => number = () => performance.now(),
): Promise<void> {
  let spent = 0;
  for (const [index, step] of content.steps.entries()) {
    if (!starts(step)) continue;
    for (const sources of sourcesOf(index)) {
      // Rendering keeps this process from everything else, and one step may have several texts of the greatest length.
      await turnOfOthers();
      const from = now();
      try {
        if (spent > MOST_MS)
          throw new CommandTemplateError('too_much', 'Rendering the steps up to this one takes too much time.');
        // What a host or an earlier step tells is known only when the step runs.
        const needs = await stepNeeds(step, sources);
        await turnOfOthers();
        if (!needs.host && !needs.steps) await stepCommand(step, sources);
        await turnOfOthers();
        if (!writesFile(step) && step.check !== null) checkText(step.check, sources);
      } catch (error) {
        if (!(error instanceof CommandTemplateError)) throw error;
        throw invalidRequest(
          [{ path: '/variables', code: 'command_not_rendered', message: `Step "${step.key}": ${error.message}` }],
          'The run was not started.',
        );
      }
      spent += now() - from;
    }
  }
}

function checkText(text: string, { values }: StepSources): void {
  const needs = commandNeeds(text, values);
  if (!needs.host && !needs.steps) renderCommand(text, values);
}

const starts = (step: PlanStep): step is StartingStep => step.type !== 'wait' && step.type !== 'gate';
