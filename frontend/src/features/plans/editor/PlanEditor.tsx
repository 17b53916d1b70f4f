import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Can } from '../../../access/Can';
import { useAccess } from '../../../access/useAccess';
import { newerPlanQuery } from '../../../api/queries/plans/plans';
import type { Plan } from '../../../api/types';
import { DraftNotice } from '../../../ui/forms/DraftNotice';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { MessageField } from '../../../ui/revisions/MessageField';
import { HistoryButtons } from '../history/HistoryButtons';
import { useUndoKeys } from '../history/useUndoKeys';
import { PlanModes } from '../text/PlanModes';
import { ConflictNotice } from './ConflictNotice';
import { PlanFields } from './PlanFields';
import { SaveBar } from './SaveBar';
import { type PlanEditorState, usePlanEditor } from './usePlanEditor';

/** How often an editor with unsaved edits asks whether someone else has saved. */
const CONFLICT_CHECK_MS = 15_000;

export function PlanEditor({ plan }: { plan: Plan }) {
  const { can } = useAccess();
  const state = usePlanEditor(plan);
  const { form, edits, text, basePlan, readOnly, save } = state;
  const frame = useRef<HTMLFormElement>(null);
  useUndoKeys(frame, edits, text.mode === 'form' && can('operator'));
  return (
    <form ref={frame} onSubmit={form.onSubmit(() => save(basePlan.version))} noValidate>
      {state.draft.found && !readOnly && (
        <DraftNotice
          isOutdated={state.draft.isOutdated}
          onRestore={state.restoreDraft}
          onDiscard={state.draft.forget}
        />
      )}
      <PlanModes state={text} readOnly={readOnly} tools={!readOnly && <HistoryButtons edits={edits} />}>
        <PlanFields form={form} edits={edits} readOnly={readOnly} />
      </PlanModes>
      {plan.origin === null && <PlanSaveBar planId={plan.id} state={state} />}
    </form>
  );
}

function PlanSaveBar({ planId, state }: { planId: string; state: PlanEditorState }) {
  const { form, text, basePlan, problem, saving, dirty, readOnly, load, save, mergeWith, merge } = state;
  const newer = useQuery({
    ...newerPlanQuery(planId, basePlan.version),
    enabled: dirty && !readOnly,
    refetchInterval: CONFLICT_CHECK_MS,
  });
  const refused = problem?.code === 'version_mismatch';
  const outdated = dirty && newer.data !== undefined && newer.data.version > basePlan.version;
  return (
    <SaveBar isIdle={!dirty && problem === null}>
      {refused || outdated ? (
        <ConflictNotice
          planId={planId}
          base={basePlan}
          refused={refused}
          pending={saving}
          merging={
            text.mode === 'form' ? { collisionsWith: (theirs) => mergeWith(theirs).collisions, onMerge: merge } : null
          }
          onReload={load}
          onKeepMine={(theirs) => save(theirs.version)}
        />
      ) : (
        <FormErrors problem={problem} fieldErrors={Object.keys(form.errors).length} />
      )}
      {dirty && !readOnly && <MessageField value={state.message} onChange={state.setMessage} disabled={saving} />}
      <Group gap="xs" justify="space-between">
        <Text size="xs" c="dimmed">
          {dirty ? 'Unsaved changes' : `Revision ${basePlan.revision} saved`}
        </Text>
        <Group gap="xs">
          <Button variant="default" disabled={!dirty || saving} onClick={() => load(basePlan)}>
            Discard changes
          </Button>
          <Can role="operator" environmentId={basePlan.environmentId}>
            <Button type="submit" disabled={!dirty} loading={saving}>
              Save
            </Button>
          </Can>
        </Group>
      </Group>
    </SaveBar>
  );
}
