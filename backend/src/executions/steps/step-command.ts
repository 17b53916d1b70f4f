import type { CommandFacts, FactNeeds } from '../../plans/rendering/command-facts.js';
import type { TextKind } from '../../plans/rendering/text-task.js';
import { type PlanStep, writesFile } from '../../plans/steps/types/step-types.js';
import type { FrozenLibrary } from '../record/run-content.js';
import type { RunScript, StepCommand, StepRules, StepSources } from './types/run-step-type.js';
import { getCommandStepType, getRunStepType, type StartingStep } from './types/run-step-types.js';

/** Returns the step if it starts a command; otherwise null. */
export const toStartingStep = (step: PlanStep): StartingStep | null =>
  getRunStepType(step).runs === 'command' ? (step as StartingStep) : null;

export const toStepRules = (step: StartingStep): StepRules => getCommandStepType(step).getRules(step);

/**
 * Whether `composeScript` adds lines to the output of the command, such as its outputs or that it was skipped. They
 * need a mark by which `StepTrailer` finds and removes them.
 */
export function hasTrailer(step: StartingStep): boolean {
  const { become, workingDirectory, outputs, reportsChange } = toStepRules(step);
  const isWrapped = become !== null || workingDirectory !== null || step.unless !== null;
  return isWrapped || outputs.length > 0 || reportsChange;
}

/**
 * Renders all texts of a step in parallel. If `findStepFactNeeds` returns facts, pass them.
 *
 * @throws CommandTemplateError; Problem 429 `too_many_at_once`, 503 `busy`
 */
export async function renderStepCommand(
  step: StartingStep,
  sources: StepSources,
  facts?: CommandFacts,
): Promise<StepCommand> {
  const { values, renderer } = sources;
  const [unless, command] = await Promise.all([
    step.unless === null ? null : renderer.text('command', step.unless, values, facts),
    getCommandStepType(step).render(step, sources, facts),
  ]);
  return { ...command, become: step.become, unless };
}

/** Start of Liquid markup. Text without markup is not rendered. */
const TEMPLATE_MARKUP = /\{[{%]/;

/** Whether the step has nothing to render, so that the values of hosts make no difference. */
export const hasVerbatimCommand = (step: StartingStep): boolean =>
  !writesFile(step) && listRenderedTexts(step).every(({ text }) => !TEMPLATE_MARKUP.test(text));

/**
 * Returns the facts that the rendering needs. If there are none, the rendered step is the same on every host. Throws
 * the same errors as `renderStepCommand`.
 */
export async function findStepFactNeeds(step: StartingStep, sources: StepSources): Promise<FactNeeds> {
  const { values, renderer } = sources;
  const needs = listRenderedTexts(step).map(({ kind, text }) => renderer.needs(kind, text, values));
  const content = getCommandStepType(step).findContentNeeds?.(step, sources);
  return combineNeeds(await Promise.all([...needs, ...(content ? [content] : [])]));
}

function listRenderedTexts(step: StartingStep): { kind: TextKind; text: string }[] {
  const unless = step.unless === null ? [] : [{ kind: 'command' as const, text: step.unless }];
  return [...unless, ...getCommandStepType(step).listRenderedTexts(step)];
}

const combineNeeds = (needs: readonly FactNeeds[]): FactNeeds => ({
  host: needs.some(({ host }) => host),
  steps: needs.some(({ steps }) => steps),
});

/**
 * Returns the script that a step runs, and the program that runs it; null: the step runs no script.
 * @throws CommandTemplateError if the run does not contain the script
 */
export function findStepScript(step: PlanStep, library: FrozenLibrary | undefined): RunScript | null {
  const starting = toStartingStep(step);
  return (starting && getCommandStepType(starting).getScript?.(starting, library)) ?? null;
}
