import { Button, Group, Paper, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import type { ApiProblem } from '../../../api/errors';
import { planQuery } from '../../../api/queries/plans/plans';
import { useCreateSchedule, useUpdateSchedule } from '../../../api/queries/automation/schedules';
import type { Plan, Schedule } from '../../../api/types';
import { showErrorOnForm } from '../../../ui/forms/form-errors';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { labelsFault } from '../../../ui/runs/labels';
import { LabelsInput } from '../../../ui/runs/LabelsInput';
import { ownTimeZone } from '../../../ui/format/time-zones';
import { PlanFields } from './PlanFields';
import { PolicyFields } from './PolicyFields';
import { formOf, keptSecrets, newSchedule, type ScheduleForm, toRequest } from './schedule-form';
import { TimingFields } from './TimingFields';
import { VariableFields } from './VariableFields';

interface Props {
  /** Null: a new schedule. */
  schedule: Schedule | null;
  /** Plan of the schedule, or initial plan of a new one. */
  plan: Plan | null;
  onSaved: (schedule: Schedule) => void;
}

/** Form field for each request field, where the names differ. */
const FORM_FIELD_BY_PROPERTY: Record<string, string> = { execution_mode: 'mode', everySeconds: 'every' };
const FIELDS = [
  'name',
  'planId',
  'environmentId',
  'execution_mode',
  'targets',
  'note',
  'labels',
  'cron',
  'everySeconds',
  'timeZone',
  'jitterSeconds',
];

const renamed = (errors: Record<string, string>) =>
  Object.fromEntries(Object.entries(errors).map(([path, message]) => [FORM_FIELD_BY_PROPERTY[path] ?? path, message]));

export function ScheduleEditor({ schedule, plan: first, onSaved }: Props) {
  const create = useCreateSchedule();
  const update = useUpdateSchedule();
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm<ScheduleForm>({
    initialValues:
      schedule && first
        ? formOf(schedule, first)
        : { ...newSchedule(first?.id ?? null, ownTimeZone()), environmentId: first?.environmentId ?? null },
  });
  const { planId } = form.values;
  const chosen = useQuery({ ...planQuery(planId ?? ''), enabled: planId !== null && planId !== first?.id }).data;
  const plan = planId === first?.id ? first : (chosen ?? null);
  const variables = plan?.variables ?? [];
  const labelFault = labelsFault(form.values.labels);
  const kept = keptSecrets(schedule, form.values);
  const request = toRequest(
    form.values,
    variables.map(({ name }) => name),
    kept,
  );
  const failed = (error: unknown) =>
    setProblem(
      showErrorOnForm(
        { setErrors: (errors) => form.setErrors(renamed(errors)) },
        error,
        (path) => FIELDS.includes(path) || variables.some(({ name }) => path === `variables.${name}`),
      ),
    );
  const submit = form.onSubmit(() => {
    if (labelFault) return;
    setProblem(null);
    if (schedule) update.mutate({ schedule, body: request }, { onSuccess: onSaved, onError: failed });
    else
      create.mutate(
        { body: request, key: attempt.keyFor(request) },
        {
          onSuccess: onSaved,
          onError: (error) => {
            attempt.refused(error);
            failed(error);
          },
        },
      );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" maw={860}>
        <Paper p="md">
          <PlanFields form={form} plan={plan} />
        </Paper>
        <Paper p="md">
          <TimingFields form={form} />
        </Paper>
        {plan && variables.length > 0 && (
          <Paper p="md">
            <VariableFields form={form} plan={plan} kept={kept} />
          </Paper>
        )}
        <Paper p="md">
          <PolicyFields form={form} />
        </Paper>
        <Paper p="md">
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
        </Paper>
        <FormErrors problem={problem} fieldErrors={Object.keys(form.errors).length} />
        <Group justify="space-between">
          <Text c="dimmed" size="sm" flex="1 1 260px">
            Runs start with your rights at that time.
          </Text>
          <Can role="operator" unless={labelFault}>
            <Button type="submit" loading={create.isPending || update.isPending}>
              {schedule ? 'Save schedule' : 'Create schedule'}
            </Button>
          </Can>
        </Group>
      </Stack>
    </form>
  );
}
