import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { invalidRequest } from '../../../common/errors/problem.js';
import { CommandTemplateError } from '../../../plans/rendering/render-command.js';
import { type PlanStep, writesFile } from '../../../plans/steps/types/step-types.js';
import type { RunContent } from '../../record/run-content.js';
import { type StartingStep, renderStepCommand, findStepFactNeeds, type StepSources } from '../../steps/step-command.js';

/** Time limit for the rendering of all steps, in ms. One step usually takes a few milliseconds. */
const RENDERING_TIME_LIMIT_MS = 15_000;
const STEPS_PER_BATCH = 16;

interface StepRenderingWork {
  readonly step: StartingStep;
  readonly sources: StepSources;
}

/**
 * Renders everything that the steps will run, so that a faulty run is refused before it starts.
 * @param sourcesOf returns the inputs of a step, one for each distinct set of values of its hosts
 * @param now monotonic clock, in ms
 * @throws Problem 400; 429 `too_many_at_once`; 503 `busy`
 */
export async function requireRenderableSteps(
  content: RunContent,
  sourcesOf: (stepIndex: number) => readonly StepSources[],
  now: () => number = () => performance.now(),
): Promise<void> {
  let spentMs = 0;
  for (const group of listRenderingBatches(content.steps, sourcesOf)) {
    await turnOfOthers();
    const from = now();
    const faults = await Promise.all(group.map((work) => toRenderingProblem(work, spentMs > RENDERING_TIME_LIMIT_MS)));
    const fault = faults.find((each) => each !== null);
    if (fault) throw invalidRequest([fault], 'The run was not started.');
    spentMs += now() - from;
  }
}

/** Puts each template in a group of its own: it takes a job in a thread, and the queue of jobs is short. */
function* listRenderingBatches(
  steps: readonly PlanStep[],
  sourcesOf: (stepIndex: number) => readonly StepSources[],
): Generator<StepRenderingWork[], void> {
  let group: StepRenderingWork[] = [];
  for (const [index, step] of steps.entries()) {
    if (!isStartingStep(step)) continue;
    for (const sources of sourcesOf(index)) {
      if (step.type !== 'template') group.push({ step, sources });
      if (group.length > 0 && (group.length >= STEPS_PER_BATCH || step.type === 'template')) {
        yield group;
        group = [];
      }
      if (step.type === 'template') yield [{ step, sources }];
    }
  }
  if (group.length > 0) yield group;
}

async function toRenderingProblem({ step, sources }: StepRenderingWork, isLate: boolean) {
  try {
    if (isLate) throw new CommandTemplateError('too_much', 'Rendering the steps up to this one takes more than 15 s.');
    // Values that a host or an earlier step reports are unknown until the step runs.
    const needs = await findStepFactNeeds(step, sources);
    if (!needs.host && !needs.steps) await renderStepCommand(step, sources);
    if (!writesFile(step) && step.check !== null) await requireRenderableText(step.check, sources);
    return null;
  } catch (error) {
    if (!(error instanceof CommandTemplateError)) throw error;
    const message = `Step "${step.key}": ${error.message}`;
    return { path: '/variables', code: 'command_not_rendered' as const, message };
  }
}

async function requireRenderableText(text: string, { values, renderer }: StepSources): Promise<void> {
  const needs = await renderer.needs('command', text, values);
  if (!needs.host && !needs.steps) await renderer.text('command', text, values);
}

const isStartingStep = (step: PlanStep): step is StartingStep => step.type !== 'wait' && step.type !== 'gate';
