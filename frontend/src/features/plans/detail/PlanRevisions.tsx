import { Code, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { planDiffQuery, planRevisionsQuery, useRestorePlan } from '../../../api/queries/plans/plans';
import type { Plan, PlanRevision } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { chosenRevisions, type ComparedSearch, searchOf } from '../../../ui/revisions/compared';
import { RestoreDialog } from '../../../ui/revisions/RestoreDialog';
import { RevisionDiff } from '../../../ui/revisions/RevisionDiff';
import { RevisionList } from '../../../ui/revisions/RevisionList';
import { listState } from '../../../ui/tables/list-state';
import { changeLines } from '../../../ui/revisions/revision-changes';
import { RevisionStep } from './RevisionStep';

const route = getRouteApi('/app/plans/$id');

export function PlanRevisions({ plan }: { plan: Plan }) {
  const { revision, ...search } = route.useSearch();
  const navigate = useNavigate({ from: '/plans/$id' });
  const revisions = useInfiniteQuery(planRevisionsQuery(plan.id));
  const restoreMutation = useRestorePlan(plan);
  const [restoredNumber, setRestoredNumber] = useState<number | null>(null);
  const chosen = chosenRevisions(search);
  const [earlier = 0, later = 0] = chosen;
  const diff = useQuery({ ...planDiffQuery(plan.id, earlier, later), enabled: later > 0 });
  const show = (next: ComparedSearch & { revision?: number }) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  return (
    <>
      <RevisionDiff chosen={chosen} diff={diff} changes={changeLines} onClose={() => show(searchOf([]))} />
      <RevisionList
        list={listState(revisions)}
        latest={plan.revision}
        open={revision}
        onOpen={(next) => show({ revision: next })}
        chosen={chosen}
        onChoose={(next) => show(searchOf(next))}
        onRestore={plan.origin === null ? setRestoredNumber : null}
        facts={({ steps }) => <Text span>{plural(steps.length, 'step')}</Text>}
        content={(item) => <RevisionContent revision={item} />}
      />
      <RestoreDialog
        revision={restoredNumber}
        name={plan.name}
        restoreMutation={restoreMutation}
        onClose={() => setRestoredNumber(null)}
        onRestored={() => show({ revision: undefined, ...searchOf([]) })}
      />
    </>
  );
}

function RevisionContent({ revision }: { revision: PlanRevision }) {
  return (
    <Stack gap="sm">
      <Text>Targets: {revision.targets ? <Code>{revision.targets}</Code> : 'all servers of the environment'}</Text>
      {revision.variables.length > 0 && (
        <Text>Variables: {revision.variables.map(({ name, type }) => `${name} (${type})`).join(', ')}</Text>
      )}
      {revision.steps.map((step) => (
        <RevisionStep key={step.key} step={step} />
      ))}
    </Stack>
  );
}
