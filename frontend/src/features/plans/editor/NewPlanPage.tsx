import { Button, Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { Can } from '../../../access/Can';
import { useAccess } from '../../../access/useAccess';
import { DraftNotice } from '../../../ui/forms/DraftNotice';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { AnchorLink, ButtonLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { HistoryButtons } from '../history/HistoryButtons';
import { useUndoKeys } from '../history/useUndoKeys';
import { PlanModes } from '../text/PlanModes';
import { PlanFields } from './PlanFields';
import { SaveBar } from './SaveBar';
import { useNewPlan } from './useNewPlan';

const route = getRouteApi('/app/plans/new');

export function NewPlanPage() {
  const { collection } = route.useSearch();
  const { form, edits, text, draft, restoreDraft, problem, submit, pending } = useNewPlan(collection);
  const { can } = useAccess();
  const frame = useRef<HTMLFormElement>(null);
  useUndoKeys(frame, edits, text.mode === 'form' && can('operator'));

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
      {draft.found && can('operator') && (
        <DraftNotice isOutdated={false} onRestore={restoreDraft} onDiscard={draft.forget} />
      )}
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
            <Button type="submit" loading={pending}>
              Create plan
            </Button>
          </Can>
        </Group>
      </SaveBar>
    </form>
  );
}
