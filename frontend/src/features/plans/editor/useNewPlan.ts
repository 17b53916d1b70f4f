import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiProblem, toProblem } from '../../../api/errors';
import { useImportPlans } from '../../../api/queries/plans/plan-texts';
import { useCreatePlan } from '../../../api/queries/plans/plans';
import { showErrorOnForm } from '../../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { useDraft } from '../../../ui/forms/useDraft';
import { useLeaveGuard } from '../../../ui/forms/useLeaveGuard';
import { withRowIdsOf } from '../form/form-rows';
import { formOf, isPlanField, type PlanForm, toCreateRequest } from '../form/plan-form';
import { usePlanForm } from '../history/usePlanForm';
import { usePlanText } from '../text/usePlanText';

/** State and creation of a new plan, as form or as text. */
export function useNewPlan(collection: string | undefined) {
  const navigate = useNavigate();
  const create = useCreatePlan();
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [initialValues] = useState(() => ({ ...formOf(null), collectionId: collection ?? null }));
  const { form, edits } = usePlanForm(initialValues);
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
  const isDirty = form.isDirty() || text.changed;
  const draft = useDraft<{ yaml?: string; form?: PlanForm }>({
    ...{ form: 'plan.new', version: 0, isDirty },
    values: text.mode === 'yaml' ? { yaml: text.text } : { form: form.values },
  });
  const restoreDraft = () => {
    const kept = draft.found?.values;
    draft.forget();
    if (kept?.yaml !== undefined) return text.open(kept.yaml);
    if (kept?.form) form.setValues(withRowIdsOf(form.getValues(), kept.form));
  };
  useLeaveGuard(isDirty && !create.isSuccess && !importing.isSuccess);

  const open = (id: string) => {
    draft.end();
    void navigate({ to: '/plans/$id', params: { id }, ignoreBlocker: true });
  };
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

  return { form, edits, text, draft, restoreDraft, problem, submit, pending: create.isPending || importing.isPending };
}
