import { Button, Group, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { useAccess } from '../../../access/useAccess';
import { type ApiProblem, toProblem } from '../../../api/errors';
import { useUpdatePlan } from '../../../api/queries/plans';
import type { Plan } from '../../../api/types';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { showOnForm } from '../../../ui/forms/form-errors';
import { ConflictNotice } from './ConflictNotice';
import { PlanFields } from './PlanFields';
import { formOf, isPlanField, toUpdateRequest } from '../form/plan-form';
import { SaveBar } from './SaveBar';
import { useLeaveGuard } from '../../../ui/forms/useLeaveGuard';

export function PlanEditor({ plan }: { plan: Plan }) {
  const update = useUpdatePlan(plan.id);
  const { can } = useAccess();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [base, setBase] = useState(plan);
  const [initialValues] = useState(() => formOf(plan));
  const form = useForm({ initialValues });
  const dirty = form.isDirty();
  useLeaveGuard(dirty);

  /** Resets the form to a state from the server. */
  const resetTo = (theirs: Plan) => {
    const values = formOf(theirs);
    setBase(theirs);
    setProblem(null);
    form.setInitialValues(values);
    form.setValues(values);
    form.resetDirty(values);
    form.clearErrors();
  };

  const save = (version: number) => {
    setProblem(null);
    form.clearErrors();
    update.mutate(
      { version, body: toUpdateRequest(form.getValues()) },
      {
        onSuccess: (saved) => {
          resetTo(saved);
          notifications.show({ color: 'green', message: `Saved as revision ${saved.revision}.` });
        },
        onError: (error) => {
          const stale = toProblem(error).code === 'version_mismatch';
          setProblem(stale ? toProblem(error) : showOnForm(form, error, isPlanField));
        },
      },
    );
  };

  return (
    <form onSubmit={form.onSubmit(() => save(base.version))} noValidate>
      <PlanFields form={form} readOnly={!can('operator')} />
      <SaveBar>
        {problem?.code === 'version_mismatch' ? (
          <ConflictNotice
            planId={plan.id}
            base={base}
            pending={update.isPending}
            onReload={resetTo}
            onKeepMine={(theirs) => save(theirs.version)}
          />
        ) : (
          <FormErrors problem={problem} fieldErrors={Object.keys(form.errors).length} />
        )}
        <Group gap="xs" justify="space-between">
          <Text size="xs" c="dimmed">
            {dirty ? 'Not saved yet.' : `Revision ${base.revision} is saved.`}
          </Text>
          <Group gap="xs">
            <Button variant="default" disabled={!dirty || update.isPending} onClick={() => resetTo(base)}>
              Discard changes
            </Button>
            <Can role="operator">
              <Button type="submit" disabled={!dirty} loading={update.isPending}>
                Save
              </Button>
            </Can>
          </Group>
        </Group>
      </SaveBar>
    </form>
  );
}
