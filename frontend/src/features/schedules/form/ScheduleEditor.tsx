import { Button, Group, Paper, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Can } from '../../../access/Can';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { LabelsInput } from '../../../ui/runs/LabelsInput';
import { PlanFields } from './PlanFields';
import { PolicyFields } from './PolicyFields';
import type { ScheduleForm } from './schedule-form';
import { TimingFields } from './TimingFields';
import { type ScheduleContent, useScheduleForm } from './useScheduleForm';
import { VariableFields } from './VariableFields';

export function ScheduleEditor(content: ScheduleContent) {
  const { form, plan, draft, kept, labelFault, problem, save, pending } = useScheduleForm(content);
  return (
    <form onSubmit={form.onSubmit(save)} noValidate>
      <Stack gap="md" maw={860}>
        {draft.notice}
        <Paper p="md">
          <PlanFields form={form} plan={plan} />
        </Paper>
        <Paper p="md">
          <TimingFields form={form} />
        </Paper>
        {plan && plan.variables.length > 0 && (
          <Paper p="md">
            <VariableFields form={form} plan={plan} kept={kept} />
          </Paper>
        )}
        <Paper p="md">
          <PolicyFields form={form} />
        </Paper>
        <Paper p="md">
          <RunFields form={form} labelFault={labelFault} />
        </Paper>
        <FormErrors problem={problem} fieldErrors={Object.keys(form.errors).length} />
        <Group justify="space-between">
          <Text c="dimmed" size="sm" flex="1 1 260px">
            Runs start with your rights at that time.
          </Text>
          <Can role="operator" unless={labelFault}>
            <Button type="submit" loading={pending}>
              {content.schedule ? 'Save schedule' : 'Create schedule'}
            </Button>
          </Can>
        </Group>
      </Stack>
    </form>
  );
}

/** Hosts, labels and note of the runs. */
function RunFields({ form, labelFault }: { form: UseFormReturnType<ScheduleForm>; labelFault: string | null }) {
  return (
    <Stack gap="md">
      <TextInput
        label="Limit hosts"
        description="Selector within the hosts of the plan, such as role=web or name=web-*"
        placeholder="All hosts of the plan"
        classNames={{ input: 'rw-mono-family' }}
        {...form.getInputProps('targets')}
      />
      <LabelsInput
        label="Labels of runs"
        description="Such as kind=nightly"
        {...form.getInputProps('labels')}
        error={labelFault ?? form.errors.labels}
      />
      <Textarea
        label="Note"
        description="Shown here and on the runs."
        autosize
        minRows={1}
        maxRows={4}
        {...form.getInputProps('note')}
      />
    </Stack>
  );
}
