import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Can } from '../../../access/Can';
import { useAccess } from '../../../access/useAccess';
import { type ApiProblem, toProblem } from '../../../api/errors';
import { planYaml, useImportPlans } from '../../../api/queries/plans/plan-texts';
import { planQuery, useUpdatePlan } from '../../../api/queries/plans/plans';
import type { Plan } from '../../../api/types';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../../ui/forms/form-errors';
import { MessageField } from '../../../ui/revisions/MessageField';
import { ConflictNotice } from './ConflictNotice';
import { PlanFields } from './PlanFields';
import { withRowIdsOf } from '../form/form-rows';
import { formOf, isPlanField, toCreateRequest, toUpdateRequest } from '../form/plan-form';
import { HistoryButtons } from '../history/HistoryButtons';
import { usePlanForm } from '../history/usePlanForm';
import { useUndoKeys } from '../history/useUndoKeys';
import { PlanModes } from '../text/PlanModes';
import { usePlanText } from '../text/usePlanText';
import { SaveBar } from './SaveBar';
import { useLeaveGuard } from '../../../ui/forms/useLeaveGuard';

export function PlanEditor({ plan }: { plan: Plan }) {
  const update = useUpdatePlan(plan.id);
  const { can } = useAccess();
  // Plans of a git source are changed in their repository.
  const readOnly = !can('operator') || plan.origin !== null;
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [basePlan, setBasePlan] = useState(plan);
  const [message, setMessage] = useState('');
  const [initialValues] = useState(() => formOf(plan));
  const { form, edits } = usePlanForm(initialValues);
  const frame = useRef<HTMLFormElement>(null);
  const [collectionId, setCollectionId] = useState(plan.collectionId);
  const importing = useImportPlans();
  const client = useQueryClient();
  const saving = update.isPending || importing.isPending;
  const text = usePlanText({
    fields: () => ({ ...toCreateRequest(form.getValues()), ...(collectionId === null ? {} : { collectionId }) }),
    earlier: () => planYaml(plan.id, basePlan.revision),
    onFields: (fields) => {
      setCollectionId(fields.collectionId);
      form.setValues(withRowIdsOf(form.getValues(), formOf({ ...basePlan, ...fields })));
      form.clearErrors();
    },
  });
  const dirty = form.isDirty() || text.changed || collectionId !== basePlan.collectionId;
  useLeaveGuard(dirty);
  useUndoKeys(frame, edits, text.mode === 'form' && can('operator'));

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
  useEffect(() => {
    // A newer plan appears after a restore, for example. Unsaved edits stay; saving them reports the conflict.
    if (dirty || plan.version <= basePlan.version) return;
    // eslint-disable-next-line react-hooks/set-state-in-effect -- the form follows the server until the user edits it
    resetTo(plan);
    text.reset(null);
  });
  const discard = () => {
    resetTo(basePlan);
    text.reset(null);
  };

  const saveText = (version: number) => {
    setProblem(null);
    importing.mutate(
      { version, body: { content: text.text, planId: plan.id, message } },
      {
        onSuccess: () => {
          client.fetchQuery({ ...planQuery(plan.id), staleTime: 0 }).then(
            (saved) => {
              edits.withoutRecording(() => resetTo(saved));
              text.reset(text.text);
              notifications.show({ color: 'green', message: `Saved as revision ${saved.revision}.` });
            },
            (error: unknown) => setProblem(toProblem(error)),
          );
        },
        onError: (error) => setProblem(toProblem(error)),
      },
    );
  };

  const save = (version: number) => {
    if (text.mode === 'yaml') return saveText(version);
    const moved = collectionId === basePlan.collectionId ? {} : { collectionId };
    setProblem(null);
    form.clearErrors();
    update.mutate(
      { version, body: { ...toUpdateRequest(form.getValues()), ...moved, message } },
      {
        onSuccess: (saved) => {
          edits.withoutRecording(() => resetTo(saved));
          text.reset(null);
          notifications.show({ color: 'green', message: `Saved as revision ${saved.revision}.` });
        },
        onError: (error) => {
          const stale = toProblem(error).code === 'version_mismatch';
          setProblem(stale ? toProblem(error) : showErrorOnForm(form, error, isPlanField));
        },
      },
    );
  };

  return (
    <form ref={frame} onSubmit={form.onSubmit(() => save(basePlan.version))} noValidate>
      <PlanModes state={text} readOnly={readOnly} tools={!readOnly && <HistoryButtons edits={edits} />}>
        <PlanFields form={form} edits={edits} readOnly={readOnly} />
      </PlanModes>
      {plan.origin === null && (
        <SaveBar>
          {problem?.code === 'version_mismatch' ? (
            <ConflictNotice
              planId={plan.id}
              base={basePlan}
              pending={saving}
              onReload={(theirs) => {
                resetTo(theirs);
                text.reset(null);
              }}
              onKeepMine={(theirs) => save(theirs.version)}
            />
          ) : (
            <FormErrors problem={problem} fieldErrors={Object.keys(form.errors).length} />
          )}
          {dirty && !readOnly && <MessageField value={message} onChange={setMessage} disabled={saving} />}
          <Group gap="xs" justify="space-between">
            <Text size="xs" c="dimmed">
              {dirty ? 'Unsaved changes' : `Revision ${basePlan.revision} saved`}
            </Text>
            <Group gap="xs">
              <Button variant="default" disabled={!dirty || saving} onClick={discard}>
                Discard changes
              </Button>
              <Can role="operator">
                <Button type="submit" disabled={!dirty} loading={saving}>
                  Save
                </Button>
              </Can>
            </Group>
          </Group>
        </SaveBar>
      )}
    </form>
  );
}
