import type { FailurePolicy } from '../../../../api/types';
import type { UseFormReturnType } from '@mantine/form';
import type { PlanForm } from '../../form/plan-form';

export const MONO = { input: 'rw-mono' };

export interface StepFieldsProps {
  form: UseFormReturnType<PlanForm>;
  index: number;
  readOnly: boolean;
}

export const FAILURE_POLICIES: Record<FailurePolicy, string> = {
  stop: 'Stop run',
  continue: 'Continue on remaining hosts',
};
