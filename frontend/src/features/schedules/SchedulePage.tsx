import { Stack, Tabs } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { planQuery } from '../../api/queries/plans/plans';
import {
  scheduleQuery,
  useDeleteSchedule,
  useTakeOverSchedule,
  useUpdateSchedule,
} from '../../api/queries/automation/schedules';
import type { Schedule } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { PageSkeleton } from '../../ui/feedback/Skeletons';
import { DeleteDialog } from '../../ui/dialogs/DeleteDialog';
import { AnchorLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { FiresTable } from './FiresTable';
import { ScheduleEditor } from './form/ScheduleEditor';
import { ScheduleActions } from './ScheduleActions';
import { ScheduleFacts } from './ScheduleFacts';
import { PausedBadge } from './state/FireBadge';
import { PauseDialog } from './state/PauseDialog';
import { ScheduleNotices } from './state/ScheduleNotices';
import { UnloadedPage } from '../../ui/page/UnloadedPage';
import { Description } from '../../ui/page/Description';

const route = getRouteApi('/app/schedules/$id');

export function SchedulePage() {
  const { id } = route.useParams();
  const schedule = useQuery(scheduleQuery(id));
  if (schedule.data) return <ScheduleView key={id} schedule={schedule.data} />;
  return <UnloadedPage title="Schedule" query={schedule} />;
}

function ScheduleView({ schedule }: { schedule: Schedule }) {
  const { tab = 'fires', open } = route.useSearch();
  const navigate = useNavigate({ from: '/schedules/$id' });
  const update = useUpdateSchedule();
  const takeOver = useTakeOverSchedule();
  const remove = useDeleteSchedule();
  const show = (what: 'pause' | 'delete' | undefined) =>
    void navigate({ search: (search) => ({ ...search, open: what }), replace: what === undefined });
  const close = () => show(undefined);
  const error = update.error ?? takeOver.error;
  return (
    <>
      <PageHeader
        title={schedule.name}
        favourite
        above={
          <AnchorLink to="/schedules" search={{}} size="xs">
            Schedules
          </AnchorLink>
        }
        badge={!schedule.enabled && <PausedBadge />}
        description={schedule.note && <Description>{schedule.note}</Description>}
        actions={<ScheduleActions schedule={schedule} update={update} takeOver={takeOver} onOpenDialog={show} />}
      />
      <Stack gap="md">
        {error && <ErrorPanel error={error} />}
        <ScheduleNotices schedule={schedule} />
        <ScheduleFacts schedule={schedule} />
        <Tabs
          value={tab}
          onChange={(next) => void navigate({ search: next === 'settings' ? { tab: next } : {}, replace: true })}
          keepMounted={false}
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="fires">Occurrences</Tabs.Tab>
            <Tabs.Tab value="settings">Settings</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="fires">
            <FiresTable id={schedule.id} timeZone={schedule.timeZone} />
          </Tabs.Panel>
          <Tabs.Panel value="settings">
            <Settings schedule={schedule} onSaved={() => void navigate({ search: {} })} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
      {open === 'pause' && <PauseDialog schedule={schedule} onClose={close} />}
      <DeleteDialog
        record={open === 'delete' ? schedule : null}
        name={schedule.name}
        confirm="Delete schedule"
        remove={remove}
        onDeleted={() => void navigate({ to: '/schedules', search: {} })}
        onClose={close}
      >
        The schedule starts no more runs. Its earlier runs are kept.
      </DeleteDialog>
    </>
  );
}

/** Read-only if the plan was deleted or the member cannot see it. */
function Settings({ schedule, onSaved }: { schedule: Schedule; onSaved: () => void }) {
  const plan = useQuery(planQuery(schedule.planId));
  if (plan.error) return <ErrorPanel error={plan.error} onRetry={() => void plan.refetch()} />;
  if (!plan.data) return <PageSkeleton />;
  return (
    <ScheduleEditor
      schedule={schedule}
      plan={plan.data}
      onSaved={() => {
        notifications.show({ message: 'Schedule saved.' });
        onSaved();
      }}
    />
  );
}
