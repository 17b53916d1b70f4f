import { Fieldset, SimpleGrid } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { planVariablesQuery } from '../../../api/queries/plans/plans';
import type { Plan } from '../../../api/types';
import { StartVariableField } from '../../../ui/variables/StartVariableField';
import type { TypedValue } from '../../../ui/variables/typed-value';
import type { ScheduleForm } from './schedule-form';

interface Props {
  form: UseFormReturnType<ScheduleForm>;
  plan: Plan;
  /** Names of secret variables with a stored value. */
  kept: readonly string[];
}

export function VariableFields({ form, plan, kept }: Props) {
  const resolved = useQuery(planVariablesQuery(plan.id, form.values.environmentId)).data?.items ?? [];
  return (
    <Fieldset legend="Variables" variant="unstyled">
      <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="sm">
        {plan.variables.map((variable) => {
          const value: TypedValue = form.values.variables[variable.name] ?? '';
          const found = resolved.find(({ name }) => name === variable.name);
          const stays = kept.includes(variable.name);
          return (
            <StartVariableField
              key={variable.name}
              variable={stays ? { ...variable, description: 'Leave empty to keep the stored value.' } : variable}
              value={value}
              resolved={found}
              error={form.errors[`variables.${variable.name}`] as string | undefined}
              onChange={(next) => form.setFieldValue(`variables.${variable.name}`, next)}
            />
          );
        })}
      </SimpleGrid>
    </Fieldset>
  );
}
