import { Button, Group } from '@mantine/core';
import { useForm } from '@mantine/form';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccess } from '../../../access/useAccess';
import { Can } from '../../../access/Can';
import type { ApiProblem } from '../../../api/errors';
import { useCreatePlan } from '../../../api/queries/plans';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { showOnForm } from '../../../ui/forms/form-errors';
import { AnchorLink, ButtonLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { PlanFields } from './PlanFields';
import { formOf, isPlanField, toCreateRequest } from '../form/plan-form';
import { SaveBar } from './SaveBar';
import { useLeaveGuard } from '../../../ui/forms/useLeaveGuard';

const route = getRouteApi('/app/plans/new');

export function NewPlanPage() {
  const { collection } = route.useSearch();
  const navigate = useNavigate();
  const create = useCreatePlan();
  const attempt = useIdempotencyKey();
  const { can } = useAccess();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [initialValues] = useState(() => ({ ...formOf(null), collectionId: collection ?? null }));
  const form = useForm({ initialValues });
  useLeaveGuard(form.isDirty() && !create.isSuccess);

  const submit = form.onSubmit((values) => {
    const body = toCreateRequest(values);
    setProblem(null);
    create.mutate(
      { body, key: attempt.keyFor(body) },
      {
        onSuccess: ({ id }) => void navigate({ to: '/plans/$id', params: { id }, ignoreBlocker: true }),
        onError: (error) => {
          attempt.refused(error);
          setProblem(showOnForm(form, error, isPlanField));
        },
      },
    );
  });

  return (
    <form onSubmit={submit} noValidate>
      <PageHeader
        title="New plan"
        above={
          <AnchorLink to="/plans" search={{ collection }} size="xs">
            Plans
          </AnchorLink>
        }
      />
      <PlanFields form={form} readOnly={!can('operator')} />
      <SaveBar>
        <FormErrors problem={problem} fieldErrors={Object.keys(form.errors).length} />
        <Group gap="xs" justify="flex-end">
          <ButtonLink to="/plans" search={{ collection }} variant="default">
            Discard
          </ButtonLink>
          <Can role="operator">
            <Button type="submit" loading={create.isPending}>
              Create plan
            </Button>
          </Can>
        </Group>
      </SaveBar>
    </form>
  );
}
