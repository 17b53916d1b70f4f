import type { UseFormReturnType } from '@mantine/form';
import type { PlanForm } from '../form/plan-form';

/** Text that machines read. */
export const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '12.5px' } };

/** What every group of a step's fields gets. */
export interface StepFieldsProps {
  form: UseFormReturnType<PlanForm>;
  index: number;
  readOnly: boolean;
}
