import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { planQuery } from '../../api/queries/plans/plans';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { PageSkeleton } from '../../ui/feedback/Skeletons';
import { AnchorLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { ScheduleEditor } from './form/ScheduleEditor';

const route = getRouteApi('/app/schedules/new');

export function NewSchedulePage() {
  const { plan: planId } = route.useSearch();
  const navigate = useNavigate();
  const plan = useQuery({ ...planQuery(planId ?? ''), enabled: planId !== undefined });
  const header = (
    <PageHeader
      title="New schedule"
      above={
        <AnchorLink to="/schedules" search={{}} size="xs">
          Schedules
        </AnchorLink>
      }
    />
  );
  if (planId !== undefined && plan.error)
    return (
      <>
        {header}
        <ErrorPanel error={plan.error} onRetry={() => void plan.refetch()} />
      </>
    );
  if (planId !== undefined && !plan.data) return <PageSkeleton />;
  return (
    <>
      {header}
      <ScheduleEditor
        schedule={null}
        plan={plan.data ?? null}
        onSaved={({ id }) => void navigate({ to: '/schedules/$id', params: { id }, search: {} })}
      />
    </>
  );
}
