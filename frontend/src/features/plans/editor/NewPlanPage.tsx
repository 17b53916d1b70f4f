import { Button, Group } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useAccess } from '../../../access/useAccess';
import { Can } from '../../../access/Can';
import { ApiProblem, toProblem } from '../../../api/errors';
import { useImportPlans } from '../../../api/queries/plans/plan-texts';
import { useCreatePlan } from '../../../api/queries/plans/plans';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../../ui/forms/form-errors';
import { AnchorLink, ButtonLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { PlanFields } from './PlanFields';
import { withRowIdsOf } from '../form/form-rows';
import { formOf, isPlanField, toCreateRequest } from '../form/plan-form';
import { HistoryButtons } from '../history/HistoryButtons';
import { usePlanForm } from '../history/usePlanForm';
import { useUndoKeys } from '../history/useUndoKeys';
import { PlanModes } from '../text/PlanModes';
import { usePlanText } from '../text/usePlanText';
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
  const { form, edits } = usePlanForm(initialValues);
  const frame = useRef<HTMLFormElement>(null);
  const [collectionId, setCollectionId] = useState<string | null>(null);
  const importing = useImportPlans();
  const placed = collectionId === null ? {} : { collectionId };
  const text = usePlanText({
    fields: () => ({ ...toCreateRequest(form.getValues()), ...placed }),
    earlier: () => Promise.resolve(null),
    onFields: (fields) => {
      setCollectionId(fields.collectionId);
      form.setValues(withRowIdsOf(form.getValues(), formOf(fields)));
      form.clearErrors();
    },
  });
  useLeaveGuard((form.isDirty() || text.changed) && !create.isSuccess && !importing.isSuccess);

  useUndoKeys(frame, edits, text.mode === 'form' && can('operator'));

  const open = (id: string) => void navigate({ to: '/plans/$id', params: { id }, ignoreBlocker: true });
  /** Refuses a text that names an existing plan, because this page only creates plans. */
  const submitText = async () => {
    setProblem(null);
    try {
      const body = { content: text.text };
      const { plans } = await importing.mutateAsync({ body: { ...body, preview: true } });
      if (plans.some(({ action }) => action !== 'create')) {
        const detail = 'A plan with this name exists. Choose another name, or open that plan to edit it.';
        throw new ApiProblem({ status: 409, code: 'duplicate_name', title: 'Name already in use', detail });
      }
      const made = await importing.mutateAsync({ body, key: attempt.keyFor(body) });
      const id = made.plans[0]?.planId;
      if (id) open(id);
    } catch (error) {
      attempt.refused(error);
      setProblem(toProblem(error));
    }
  };

  const submit = form.onSubmit((values) => {
    if (text.mode === 'yaml') return void submitText();
    const body = { ...toCreateRequest(values), ...placed };
    setProblem(null);
    create.mutate(
      { body, key: attempt.keyFor(body) },
      {
        onSuccess: ({ id }) => open(id),
        onError: (error) => {
          attempt.refused(error);
          setProblem(showErrorOnForm(form, error, isPlanField));
        },
      },
    );
  });

  return (
    <form ref={frame} onSubmit={submit} noValidate>
      <PageHeader
        title="New plan"
        above={
          <AnchorLink to="/plans" search={{ collection }} size="xs">
            Plans
          </AnchorLink>
        }
      />
      <PlanModes state={text} readOnly={!can('operator')} tools={can('operator') && <HistoryButtons edits={edits} />}>
        <PlanFields form={form} edits={edits} readOnly={!can('operator')} />
      </PlanModes>
      <SaveBar>
        <FormErrors problem={problem} fieldErrors={Object.keys(form.errors).length} />
        <Group gap="xs" justify="flex-end">
          <ButtonLink to="/plans" search={{ collection }} variant="default">
            Discard
          </ButtonLink>
          <Can role="operator">
            <Button type="submit" loading={create.isPending || importing.isPending}>
              Create plan
            </Button>
          </Can>
        </Group>
      </SaveBar>
    </form>
  );
}
