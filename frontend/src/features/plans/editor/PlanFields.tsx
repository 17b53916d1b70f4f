import { Button, Group, Paper, Stack, Text, Textarea, TextInput, Title, VisuallyHidden } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { IconPlus } from '@tabler/icons-react';
import { flushSync } from 'react-dom';
import { CollectionSelect } from '../../../ui/collections/CollectionSelect';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import { errorsByRow } from '../form/form-rows';
import { emptyVariable, type PlanForm } from '../form/plan-form';
import { PlanSettings } from './PlanSettings';
import { copyOfStep, emptyStep, type StepRow } from '../form/step-form';
import type { PlanEdits } from '../history/usePlanForm';
import { unusedVariables } from '../names/used-names';
import { focusHandle, useStepOrder } from '../order/useStepOrder';
import { RemovedStep } from './RemovedStep';
import { StepCard } from '../steps/StepCard';
import { TargetsField } from './TargetsField';
import { VariableCard } from './VariableCard';

interface Props {
  form: UseFormReturnType<PlanForm>;
  edits: PlanEdits;
  readOnly: boolean;
}

export function PlanFields({ form, edits, readOnly }: Props) {
  return (
    <Stack gap="lg">
      <IdentityFields form={form} readOnly={readOnly} />
      <StepList form={form} edits={edits} readOnly={readOnly} />
      <VariableList form={form} readOnly={readOnly} />
      <PlanSettings form={form} readOnly={readOnly} />
    </Stack>
  );
}

/** Name, environment, collection, description and hosts of a plan. */
function IdentityFields({ form, readOnly }: Omit<Props, 'edits'>) {
  return (
    <Paper p="md">
      <Stack gap="sm">
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          <TextInput label="Name" withAsterisk readOnly={readOnly} {...form.getInputProps('name')} />
          <EnvironmentSelect
            label="Environment"
            placeholder="Chosen at start"
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
  );
}

function StepList({ form, edits, readOnly }: Props) {
  const { steps } = form.values;
  const order = useStepOrder(form, edits);
  const { setSteps } = order;
  const insertStepAt = (index: number, step: StepRow) => {
    flushSync(() => setSteps(form.getValues().steps.toSpliced(index, 0, step)));
    focusHandle(step.row);
  };
  const remove = (step: StepRow, index: number) => {
    flushSync(() => setSteps(steps.toSpliced(index, 1)));
    const next = steps[index + 1] ?? steps[index - 1];
    if (next) focusHandle(next.row);
    const id = `removed-${step.row}`;
    const restoreStep = () => {
      notifications.hide(id);
      if (form.getValues().steps.every(({ row }) => row !== step.row)) insertStepAt(index, step);
    };
    notifications.show({ id, autoClose: 10_000, message: <RemovedStep stepKey={step.key} onUndo={restoreStep} /> });
  };
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Steps
      </Title>
      <VisuallyHidden role="status">{order.announcement}</VisuallyHidden>
      {steps.map((step, index) => (
        <StepCard
          key={step.row}
          form={form}
          index={index}
          count={steps.length}
          readOnly={readOnly}
          order={order}
          onDuplicate={() => insertStepAt(index + 1, copyOfStep(step, steps))}
          onRemove={() => remove(step, index)}
        />
      ))}
      {!readOnly && (
        <Button
          variant="default"
          leftSection={<IconPlus size={15} aria-hidden />}
          onClick={() => setSteps([...steps, emptyStep(steps)])}
          className="rw-align-start"
        >
          Add step
        </Button>
      )}
    </Stack>
  );
}

function VariableList({ form, readOnly }: Omit<Props, 'edits'>) {
  const { variables } = form.values;
  const unusedNames = unusedVariables(form.values);
  const setVariables = (next: PlanForm['variables']) => {
    form.setFieldValue('variables', next);
    form.setErrors((errors) => errorsByRow(errors, 'variables', variables, next));
  };
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Variables
      </Title>
      {variables.length === 0 && (
        <Text c="dimmed">Values that can be set at start. Use them in commands as {'{{ NAME }}'}.</Text>
      )}
      {variables.map((variable, index) => (
        <VariableCard
          key={variable.row}
          form={form}
          index={index}
          readOnly={readOnly}
          isUnused={unusedNames.has(variable.name)}
          onRemove={() => setVariables(variables.toSpliced(index, 1))}
        />
      ))}
      {!readOnly && (
        <Button
          variant="default"
          leftSection={<IconPlus size={15} aria-hidden />}
          onClick={() => setVariables([...variables, emptyVariable()])}
          className="rw-align-start"
        >
          Add variable
        </Button>
      )}
    </Stack>
  );
}
