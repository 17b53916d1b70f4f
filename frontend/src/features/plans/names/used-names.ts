import type { PlanForm } from '../form/plan-form';
import type { StepRow } from '../form/step-form';
import { mentionsIn, mentionsInCondition } from './expressions';

/** Returns variables that the plan does not refer to, neither in braces nor, in commands, as `$NAME`. */
export function unusedVariables({ variables, steps }: Pick<PlanForm, 'variables' | 'steps'>): Set<string> {
  const used = new Set(steps.flatMap(namesIn));
  return new Set(variables.map(({ name }) => name).filter((name) => name !== '' && !used.has(name)));
}

function namesIn(step: StepRow): string[] {
  const commands = commandsOf(step);
  const values = Object.values(step.variables).flatMap((value) => [value].flat().map(String));
  const rendered = [
    ...commands,
    ...(step.type === 'script' ? step.arguments : []),
    ...(step.type === 'template' || step.type === 'file' ? [step.path] : []),
  ];
  const mentions = [
    mentionsInCondition(step.when),
    ...[...rendered, ...(step.type === 'plan' ? values : [])].map(mentionsIn),
  ];
  return [
    ...mentions.flatMap(({ names }) => names.map(({ path }) => path[0] ?? '')),
    ...commands.flatMap((text) => [...text.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name = '']) => name)),
    ...(step.repeats === 'variable' ? [step.listName] : []),
  ];
}

function commandsOf({ type, command, unless, check, validate }: StepRow): string[] {
  if (type === 'command') return [command, unless, check];
  if (type === 'script') return [unless, check];
  if (type === 'template') return [unless, validate];
  return type === 'file' ? [unless] : [];
}
