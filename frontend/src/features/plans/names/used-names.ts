import type { PlanForm } from '../form/plan-form';
import type { StepRow } from '../form/step-form';
import { formType } from '../form/types/step-types';
import { mentionsIn, mentionsInCondition } from './expressions';

/** Returns variables that the plan does not refer to, neither in braces nor, in commands, as `$NAME`. */
export function unusedVariables({ variables, steps }: Pick<PlanForm, 'variables' | 'steps'>): Set<string> {
  const used = new Set(steps.flatMap(namesIn));
  return new Set(variables.map(({ name }) => name).filter((name) => name !== '' && !used.has(name)));
}

function namesIn(step: StepRow): string[] {
  const type = formType(step.type);
  const commands = type.commands(step);
  const mentions = [mentionsInCondition(step.when), ...[...commands, ...type.texts(step)].map(mentionsIn)];
  return [
    ...mentions.flatMap(({ names }) => names.map(({ path }) => path[0] ?? '')),
    ...commands.flatMap((text) => [...text.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name = '']) => name)),
    ...(step.repeats === 'variable' ? [step.listName] : []),
  ];
}
