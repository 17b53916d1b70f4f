import { Button, Group, Paper, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconPlus } from '@tabler/icons-react';
import { CollectionSelect } from '../../../ui/collections/CollectionSelect';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import { emptyVariable, moveItem, type PlanForm } from '../form/plan-form';
import { PlanSettings } from './PlanSettings';
import { copyOfStep, emptyStep } from '../form/step-form';
import { StepCard } from '../steps/StepCard';
import { TargetsField } from './TargetsField';
import { VariableCard } from './VariableCard';

interface Props {
  form: UseFormReturnType<PlanForm>;
  readOnly: boolean;
}

export function PlanFields({ form, readOnly }: Props) {
  const { steps, variables } = form.values;
  // Error messages are keyed by index; after a change of the order they would appear on the wrong rows.
  const setSteps = (next: PlanForm['steps']) => {
    form.setFieldValue('steps', next);
    form.clearErrors();
  };
  const setVariables = (next: PlanForm['variables']) => {
    form.setFieldValue('variables', next);
    form.clearErrors();
  };
  return (
    <Stack gap="lg">
      <Paper p="md">
        <Stack gap="sm">
          <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
            <TextInput label="Name" withAsterisk readOnly={readOnly} {...form.getInputProps('name')} />
            <EnvironmentSelect
              label="Environment"
              placeholder="Chosen at each start"
              clearable
              readOnly={readOnly}
              {...form.getInputProps('environmentId')}
            />
            <CollectionSelect label="Collection" readOnly={readOnly} {...form.getInputProps('collectionId')} />
          </Group>
          <Textarea
            label="Description"
            autosize
            minRows={1}
            maxRows={6}
            readOnly={readOnly}
            {...form.getInputProps('description')}
          />
          <TargetsField
            environmentId={form.values.environmentId}
            value={form.values.targets}
            error={form.errors.targets}
            onChange={(value) => form.setFieldValue('targets', value)}
          />
        </Stack>
      </Paper>

      <Stack gap="sm">
        <Title order={2} size="h4">
          Steps
        </Title>
        {steps.map((step, index) => (
          <StepCard
            key={step.row}
            form={form}
            index={index}
            count={steps.length}
            readOnly={readOnly}
            onMove={(by) => setSteps(moveItem(steps, index, by))}
            onDuplicate={() => setSteps(steps.toSpliced(index + 1, 0, copyOfStep(step, steps)))}
            onRemove={() => setSteps(steps.toSpliced(index, 1))}
          />
        ))}
        {!readOnly && (
          <Button
            variant="default"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => setSteps([...steps, emptyStep(steps)])}
            style={{ alignSelf: 'flex-start' }}
          >
            Add step
          </Button>
        )}
      </Stack>

      <Stack gap="sm">
        <Title order={2} size="h4">
          Variables
        </Title>
        {variables.length === 0 && (
          <Text c="dimmed">Values that a start may set, used in commands as {'{{ NAME }}'}.</Text>
        )}
        {variables.map((variable, index) => (
          <VariableCard
            key={variable.row}
            form={form}
            index={index}
            readOnly={readOnly}
            onRemove={() => setVariables(variables.toSpliced(index, 1))}
          />
        ))}
        {!readOnly && (
          <Button
            variant="default"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => setVariables([...variables, emptyVariable()])}
            style={{ alignSelf: 'flex-start' }}
          >
            Add variable
          </Button>
        )}
      </Stack>

      <PlanSettings form={form} readOnly={readOnly} />
    </Stack>
  );
}
