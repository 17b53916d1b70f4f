import { Group, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconPlus } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import { planQuery } from '../../api/queries/plans/plans';
import { SavedFilters } from '../../ui/bookmarks/SavedFilters';
import { EnvironmentSelect } from '../../ui/environments/EnvironmentSelect';
import { SearchField } from '../../ui/forms/SearchField';
import { ButtonLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { ScheduleCalendar } from './calendar/ScheduleCalendar';
import { SchedulesTable } from './SchedulesTable';

const route = getRouteApi('/app/schedules');

/** Shows all schedules, or those of a plan or environment. */
export function SchedulesPage() {
  const { q, plan, environment, view, span = 'month', date } = route.useSearch();
  const filters = { q, planId: plan, environmentId: environment };
  const navigate = useNavigate({ from: '/schedules' });
  const planName = useQuery({ ...planQuery(plan ?? ''), enabled: plan !== undefined }).data?.name;
  const create = (
    <Can role="operator">
      <ButtonLink to="/schedules/new" search={{ plan }} leftSection={<IconPlus size={15} aria-hidden />}>
        New schedule
      </ButtonLink>
    </Can>
  );
  return (
    <>
      <PageHeader
        title="Schedules"
        description={planName ? `Schedules that start ${planName}.` : 'Start plans automatically at set times.'}
        actions={create}
      />
      <Group mb="md">
        <SearchField
          label="Search schedules"
          value={q ?? ''}
          onChange={(value) =>
            void navigate({ search: (search) => ({ ...search, q: value || undefined }), replace: true })
          }
        />
        <EnvironmentSelect
          aria-label="Environment"
          placeholder="Any environment"
          clearable
          value={environment ?? null}
          onChange={(id) =>
            void navigate({ search: (search) => ({ ...search, environment: id ?? undefined }), replace: true })
          }
        />
        <SegmentedControl
          aria-label="View"
          data={[
            { value: 'list', label: 'List' },
            { value: 'calendar', label: 'Calendar' },
          ]}
          value={view ?? 'list'}
          onChange={(value) =>
            void navigate({
              search: { q, plan, environment, view: value === 'calendar' ? 'calendar' : undefined },
              replace: true,
            })
          }
        />
        <SavedFilters page="/schedules" search={{ q, plan, environment, view }} />
      </Group>
      {view === 'calendar' ? (
        <ScheduleCalendar
          filters={filters}
          date={date}
          span={span}
          onMove={(change) =>
            void navigate({
              search: (before) => ({
                ...before,
                ...('date' in change ? { date: change.date } : {}),
                ...(change.span ? { span: change.span === 'week' ? ('week' as const) : undefined } : {}),
              }),
            })
          }
        />
      ) : (
        <SchedulesTable
          filters={filters}
          empty={{
            title: (q ?? plan ?? environment) === undefined ? 'No schedules yet' : 'No schedules match these filters',
            action: q ? undefined : create,
          }}
        />
      )}
    </>
  );
}
