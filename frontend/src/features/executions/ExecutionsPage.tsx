import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconHistory } from '@tabler/icons-react';
import { meQuery } from '../../api/queries/access/session';
import { executionsQuery } from '../../api/queries/runs/executions';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { ButtonLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { RunsTable } from '../../ui/runs/RunsTable';
import { listState } from '../../ui/tables/list-state';
import { CancelRuns } from './CancelRuns';
import { cancelFiltersOf, filtersOf, isFiltered } from './run-filters';
import { RunFilterBar } from './RunFilterBar';

const route = getRouteApi('/app/executions');
const REFRESH_MS = 5_000;

export function ExecutionsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/executions' });
  const runs = useInfiniteQuery({ ...executionsQuery(filtersOf(search)), refetchInterval: REFRESH_MS });
  const { data: me } = useQuery(meQuery);
  const cancelFilters = cancelFiltersOf(search, me?.role);
  return (
    <>
      <PageHeader
        title="Runs"
        description="Runs of all plans, newest first."
        actions={cancelFilters && <CancelRuns filters={cancelFilters} />}
      />
      <RunFilterBar
        search={search}
        onChange={(change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
      />
      <RunsTable
        label="Runs"
        list={listState(runs)}
        empty={
          isFiltered(search) ? (
            <EmptyState
              icon={IconHistory}
              title={search.awaiting ? 'No runs are waiting for you' : 'No runs match these filters'}
              action={
                <ButtonLink to="/executions" variant="default">
                  Clear filters
                </ButtonLink>
              }
            >
              Change or clear the filters.
            </EmptyState>
          ) : (
            <EmptyState
              icon={IconHistory}
              title="No runs yet"
              action={<ButtonLink to="/plans">Open plans</ButtonLink>}
              needsGrant
            >
              A run is one start of a plan in an environment. Start one from a plan, the command line or the API.
            </EmptyState>
          )
        }
      />
    </>
  );
}
