import { Fieldset, SimpleGrid } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { PlanVariable, ResolvedVariable } from '../../../api/types';
import { StartVariableField } from '../../../ui/variables/StartVariableField';
import type { StartForm } from './start-request';

interface Props {
  form: UseFormReturnType<StartForm>;
  variables: readonly PlanVariable[];
  resolved: readonly ResolvedVariable[];
  exact: boolean;
}

export function StartVariables({ form, variables, resolved, exact }: Props) {
  if (variables.length === 0) return null;
  return (
    <Fieldset legend="Variables">
      <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="sm">
        {variables.map((variable) => (
          <StartVariableField
            key={variable.name}
            variable={variable}
            value={form.values.variables[variable.name] ?? ''}
            resolved={resolved.find(({ name }) => name === variable.name)}
            error={form.errors[`variables.${variable.name}`] as string | undefined}
            // Secrets of the dry run are not available, so the user must enter them again.
            readOnly={exact && variable.type !== 'secret'}
            onChange={(value) => form.setFieldValue(`variables.${variable.name}`, value)}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}
