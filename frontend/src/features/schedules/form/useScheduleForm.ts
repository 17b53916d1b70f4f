import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiProblem } from '../../../api/errors';
import { useCreateSchedule, useUpdateSchedule } from '../../../api/queries/automation/schedules';
import { planQuery } from '../../../api/queries/plans/plans';
import type { Plan, Schedule } from '../../../api/types';
import { ownTimeZone } from '../../../ui/format/time-zones';
import { showErrorOnFields } from '../../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { labelsFault } from '../../../ui/runs/labels';
import { fieldOf, formOf, keptSecrets, newSchedule, type ScheduleForm, toRequest } from './schedule-form';
import { useFormDraft } from '../../../ui/forms/useFormDraft';

export interface ScheduleContent {
  /** Null: a new schedule. */
  schedule: Schedule | null;
  /** Plan of the schedule, or initial plan of a new one. */
  plan: Plan | null;
  onSaved: (schedule: Schedule) => void;
}

export function useScheduleForm({ schedule, plan: first, onSaved }: ScheduleContent) {
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
  const { planId, labels } = form.values;
  const chosen = useQuery({ ...planQuery(planId ?? ''), enabled: planId !== null && planId !== first?.id }).data;
  const plan = planId === first?.id ? first : (chosen ?? null);
  const names = (plan?.variables ?? []).map(({ name }) => name);
  const secretNames = new Set((plan?.variables ?? []).flatMap(({ name, type }) => (type === 'secret' ? [name] : [])));
  const { variables, ...others } = form.values;
  // Before the plan is loaded, it is not known which values are secret.
  const open = plan && Object.fromEntries(Object.entries(variables).filter(([name]) => !secretNames.has(name)));
  const draft = useFormDraft(form, {
    ...{ name: `schedule.${schedule?.id ?? 'new'}`, version: schedule?.version },
    values: open ? { ...others, variables: open } : others,
  });
  const labelFault = labelsFault(labels);
  const kept = keptSecrets(schedule, form.values);
  const onError = (error: unknown) => {
    attempt.refused(error);
    setProblem(showErrorOnFields(form, error, (path) => fieldOf(path, names)));
  };
  const save = () => {
    if (labelFault) return;
    setProblem(null);
    const onSuccess = (saved: Schedule) => {
      draft.end();
      onSaved(saved);
    };
    const body = toRequest(form.getValues(), names, kept);
    if (schedule) update.mutate({ schedule, body }, { onSuccess, onError });
    else create.mutate({ body, key: attempt.keyFor(body) }, { onSuccess, onError });
  };
  return { form, plan, draft, kept, labelFault, problem, save, pending: create.isPending || update.isPending };
}
