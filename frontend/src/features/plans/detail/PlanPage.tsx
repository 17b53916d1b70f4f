import { Alert, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconSnowflake } from '@tabler/icons-react';
import { useState } from 'react';
import { useAccess } from '../../../access/useAccess';
import { planQuery } from '../../../api/queries/plans/plans';
import type { Plan } from '../../../api/types';
import { reasonText } from '../../../ui/collections/freeze';
import { FrozenBadge } from '../../../ui/collections/FrozenBadge';
import { useFreeze } from '../../../ui/collections/useFreeze';
import { shortTime } from '../../../ui/format/format';
import { PageHeader } from '../../../ui/page/PageHeader';
import { UnloadedPage } from '../../../ui/page/UnloadedPage';
import { PlanEditor } from '../editor/PlanEditor';
import { PlanOutline } from '../outline/PlanOutline';
import { OriginNotice } from './OriginNotice';
import { PlanActions } from './PlanActions';
import { PlanPlace } from './PlanPlace';
import { PlanRevisions } from './PlanRevisions';
import { PlanRuns } from './PlanRuns';

const route = getRouteApi('/app/plans/$id');

export function PlanPage() {
  const { id } = route.useParams();
  // A background refetch must not change a form that is being edited. Saving detects concurrent changes.
  const plan = useQuery({ ...planQuery(id), refetchOnWindowFocus: false, staleTime: 0 });
  // The form must not start from cached data of an earlier visit.
  if (plan.data && plan.isFetchedAfterMount) return <PlanView key={id} plan={plan.data} />;
  return <UnloadedPage title="Plan" query={plan} />;
}

const TABS = ['edit', 'runs', 'revisions'] as const;

function PlanView({ plan }: { plan: Plan }) {
  const { tab = 'outline' } = route.useSearch();
  const { can } = useAccess();
  const navigate = useNavigate({ from: '/plans/$id' });
  const freeze = useFreeze(plan.frozenBy);
  /** Unsaved edits stay while another tab is open. */
  const [editorOpened, setEditorOpened] = useState(false);
  if (tab === 'edit' && !editorOpened) setEditorOpened(true);
  const choose = (next: string | null) =>
    void navigate({
      search: (before) => ({
        ...before,
        ...{ revision: undefined, earlier: undefined, later: undefined },
        tab: TABS.find((each) => each === next),
      }),
    });
  return (
    <>
      <PageHeader
        title={plan.name}
        favourite
        above={<PlanPlace plan={plan} />}
        badge={<FrozenBadge freeze={plan.frozenBy} />}
        description={`Revision ${plan.revision}`}
        actions={<PlanActions plan={plan} />}
      />
      {plan.origin && <OriginNotice origin={plan.origin} />}
      {freeze && (
        <Alert color="blue" py={8} mb="md" icon={<IconSnowflake aria-hidden />}>
          Only dry runs can start until {shortTime(freeze.until)}: {reasonText(freeze.reason)}
        </Alert>
      )}
      <Tabs value={tab} onChange={choose} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="outline">Outline</Tabs.Tab>
          <Tabs.Tab value="edit">{can('operator') && plan.origin === null ? 'Edit' : 'Fields'}</Tabs.Tab>
          <Tabs.Tab value="runs">Runs</Tabs.Tab>
          <Tabs.Tab value="revisions">Revisions</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="outline">
          <PlanOutline plan={plan} />
        </Tabs.Panel>
        <Tabs.Panel value="edit" keepMounted={editorOpened}>
          <PlanEditor plan={plan} />
        </Tabs.Panel>
        <Tabs.Panel value="runs">
          <PlanRuns planId={plan.id} />
        </Tabs.Panel>
        <Tabs.Panel value="revisions">
          <PlanRevisions plan={plan} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
