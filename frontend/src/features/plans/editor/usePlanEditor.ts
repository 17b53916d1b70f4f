import { useEffect, useState } from 'react';
import { useAccess } from '../../../access/useAccess';
import { planYaml } from '../../../api/queries/plans/plan-texts';
import type { Plan } from '../../../api/types';
import { showErrorOnForm } from '../../../ui/forms/form-errors';
import { useDraft } from '../../../ui/forms/useDraft';
import { useLeaveGuard } from '../../../ui/forms/useLeaveGuard';
import { type MergedPlan, mergePlans } from '../form/merge-plans';
import { withRowIdsOf } from '../form/form-rows';
import { formOf, isPlanField, type PlanForm, toCreateRequest, toUpdateRequest } from '../form/plan-form';
import { usePlanForm } from '../history/usePlanForm';
import { usePlanText } from '../text/usePlanText';
import { useSavePlan } from './useSavePlan';

interface PlanDraft {
  /** Text of the plan, if it was edited as YAML. */
  yaml?: string;
  form?: PlanForm;
  collectionId?: string | null;
}

/** Edits a plan as form and as text. Edits stay until they are saved or discarded, also when the plan changes. */
export function usePlanEditor(plan: Plan) {
  const { can } = useAccess();
  const [basePlan, setBasePlan] = useState(plan);
  const [message, setMessage] = useState('');
  const [initialValues] = useState(() => formOf(plan));
  const { form, edits } = usePlanForm(initialValues);
  const [collectionId, setCollectionId] = useState(plan.collectionId);
  const text = usePlanText({
    fields: () => ({ ...toCreateRequest(form.getValues()), ...(collectionId === null ? {} : { collectionId }) }),
    earlier: () => planYaml(plan.id, basePlan.revision),
    onFields: (fields) => {
      setCollectionId(fields.collectionId);
      form.setValues(withRowIdsOf(form.getValues(), formOf({ ...basePlan, ...fields })));
      form.clearErrors();
    },
  });
  const { saveForm, saveText, saving, problem, setProblem } = useSavePlan({
    planId: plan.id,
    message,
    onSaved: (saved, yaml) => {
      edits.withoutRecording(() => resetTo(saved));
      text.reset(yaml);
    },
    onRefused: (error) => showErrorOnForm(form, error, isPlanField),
  });
  const dirty = form.isDirty() || text.changed || collectionId !== basePlan.collectionId;
  useLeaveGuard(dirty);
  const draft = useDraft<PlanDraft>({
    ...{ form: `plan.${plan.id}`, version: basePlan.version, isDirty: dirty },
    values: text.mode === 'yaml' ? { yaml: text.text } : { form: form.values, collectionId },
  });
  const restoreDraft = () => {
    const kept = draft.found?.values;
    draft.forget();
    if (kept?.yaml !== undefined) return text.open(kept.yaml);
    if (kept?.form) form.setValues(withRowIdsOf(form.getValues(), kept.form));
    if (kept?.collectionId !== undefined) setCollectionId(kept.collectionId);
  };

  /** Resets the form to a plan from the server. The reset itself can be undone. */
  const resetTo = (theirs: Plan) => {
    const values = withRowIdsOf(form.getValues(), formOf(theirs));
    setBasePlan(theirs);
    setProblem(null);
    setMessage('');
    form.setInitialValues(values);
    form.setValues(values);
    form.resetDirty(values);
    form.clearErrors();
    setCollectionId(theirs.collectionId);
  };
  const load = (theirs: Plan) => {
    resetTo(theirs);
    text.reset(null);
  };
  const mergeWith = (theirs: Plan): MergedPlan =>
    mergePlans(formOf(basePlan), { ...form.getValues(), collectionId }, formOf(theirs));
  /** Applies the edits to a newer version, for a person to review and save. */
  const merge = (theirs: Plan) => {
    const { form: merged } = mergeWith(theirs);
    resetTo(theirs);
    form.setValues(withRowIdsOf(form.getValues(), merged));
    setCollectionId(merged.collectionId);
  };
  useEffect(() => {
    // A newer plan appears after a restore, for example. Unsaved edits stay; saving them reports the conflict.
    if (dirty || plan.version <= basePlan.version) return;
    // eslint-disable-next-line react-hooks/set-state-in-effect -- the form follows the server until the user edits it
    load(plan);
  });
  const save = (version: number) => {
    if (text.mode === 'yaml') return saveText(version, text.text);
    form.clearErrors();
    const moved = collectionId === basePlan.collectionId ? {} : { collectionId };
    saveForm(version, { ...toUpdateRequest(form.getValues()), ...moved });
  };
  return {
    ...{ form, edits, text, basePlan, dirty, message, setMessage, problem, saving, save, load, mergeWith, merge },
    ...{ draft, restoreDraft },
    // Plans of a git source are changed in their repository.
    readOnly: !can('operator') || plan.origin !== null,
  };
}

export type PlanEditorState = ReturnType<typeof usePlanEditor>;
