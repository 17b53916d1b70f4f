import type { PlanForm } from '../form/plan-form';
import { formType } from '../form/types/step-types';

/**
 * Where names occur: in `{{ }}` of a command (`text`) or an argument, without braces in a condition, or as a whole
 * value.
 */
export type Grammar = 'text' | 'argument' | 'condition' | 'value';

export interface KnownVariable {
  name: string;
  /** Description beside the name. */
  detail: string;
  secret: boolean;
}

export interface KnownStep {
  key: string;
  outputs: readonly string[];
}

export interface Names {
  variables: readonly KnownVariable[];
  earlier: readonly KnownStep[];
  /** Keys of the step itself and of later steps. */
  later: readonly string[];
  /** Whether the step runs for each item of a list. */
  item: boolean;
}

export function namesFor({ variables, steps }: Pick<PlanForm, 'variables' | 'steps'>, index: number): Names {
  const step = steps[index];
  return {
    variables: variables
      .filter(({ name }) => name !== '')
      .map(({ name, type, description }) => ({ name, detail: description || type, secret: type === 'secret' })),
    earlier: steps.slice(0, index).map((each) => ({ key: each.key, outputs: formType(each.type).outputs(each) })),
    later: steps.slice(index).map(({ key }) => key),
    item: step !== undefined && formType(step.type).runs !== 'pause' && step.repeats !== 'once',
  };
}
