import type { UseFormReturnType } from '@mantine/form';
import type { PlanForm } from '../form/plan-form';

export const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '12.5px' } };

export interface StepFieldsProps {
  form: UseFormReturnType<PlanForm>;
  index: number;
  readOnly: boolean;
}
