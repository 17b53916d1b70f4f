import { Chip, Group, MultiSelect, Select } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconHistory } from '@tabler/icons-react';
import { meQuery } from '../../api/queries/access/session';
import { executionsQuery } from '../../api/queries/runs/executions';
import { planChoicesQuery } from '../../api/queries/plans/plans';
import type { ExecutionStatus } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { EnvironmentSelect } from '../../ui/environments/EnvironmentSelect';
import { listState } from '../../ui/tables/list-state';
import { ButtonLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { labelsFault, labelsOf } from '../../ui/runs/labels';
import { LabelsInput } from '../../ui/runs/LabelsInput';
import { RunsTable } from '../../ui/runs/RunsTable';
import { CANCELLABLE_STATUSES, EXECUTION_STATUSES } from '../../api/lists';
import { statusStyle } from '../../ui/status/statuses';
import { CancelRuns } from './CancelRuns';

const route = getRouteApi('/app/executions');
const REFRESH_MS = 5_000;
const statusOptions = EXECUTION_STATUSES.map((status) => ({ value: status, label: statusStyle(status).label }));

/** Parses a comma-separated list of statuses. Ignores unknown ones. */
const statusesOf = (text = ''): ExecutionStatus[] =>
  EXECUTION_STATUSES.filter((status) => text.split(',').includes(status));

export function ExecutionsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/executions' });
  const status = statusesOf(search.status);
  const labels = [search.label ?? []].flat();
  const fault = labelsFault(labels);
  const filters = {
    status: status.length > 0 ? status : undefined,
    planId: search.plan,
    environmentId: search.environment,
    awaiting: search.awaiting,
    legalHold: search.held,
    label: labels.length > 0 ? labels : undefined,
  };
  const runs = useInfiniteQuery({ ...executionsQuery(filters), refetchInterval: REFRESH_MS });
  const plans = useQuery(planChoicesQuery);
  const { data: me } = useQuery(meQuery);
  const unfinished = CANCELLABLE_STATUSES.filter((each) => status.length === 0 || status.includes(each));
  const narrowed =
    Boolean(search.plan ?? search.environment ?? search.label) && !search.awaiting && !search.held && !fault;
  const canCancelRuns =
    me?.role === 'admin' && narrowed && unfinished.length > 0
      ? {
          environmentId: search.environment,
          planId: search.plan,
          ...(labels.length > 0 ? { labels: labelsOf(labels) } : {}),
          ...(status.length > 0 ? { status: unfinished } : {}),
        }
      : null;
  const isFiltered = Boolean(
    search.status ?? search.plan ?? search.environment ?? search.awaiting ?? search.held ?? search.label,
  );
  const set = (change: {
    status?: string;
    plan?: string;
    environment?: string;
    awaiting?: 'me';
    held?: boolean;
    label?: string | string[];
  }) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true });

  return (
    <>
      <PageHeader
        title="Runs"
        description="Runs of all plans, newest first."
        actions={canCancelRuns && <CancelRuns filters={canCancelRuns} />}
      />
      <Group gap="xs" mb="md" align="center">
        <MultiSelect
          aria-label="Status"
          placeholder={status.length === 0 ? 'Any status' : undefined}
          data={statusOptions}
          value={status}
          onChange={(value) => set({ status: value.length > 0 ? value.join(',') : undefined })}
          clearable
          miw={200}
        />
        <Select
          aria-label="Plan"
          placeholder="Any plan"
          data={(plans.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={search.plan ?? null}
          onChange={(value) => set({ plan: value ?? undefined })}
          searchable
          clearable
        />
        <EnvironmentSelect
          aria-label="Environment"
          placeholder="Any environment"
          value={search.environment ?? null}
          onChange={(value: string | null) => set({ environment: value ?? undefined })}
          clearable
        />
        <LabelsInput
          aria-label="Labels"
          placeholder={labels.length === 0 ? 'Label, such as release=2.4.1' : undefined}
          value={labels}
          error={fault}
          onChange={(value) => set({ label: value.length > 1 ? value : value[0] })}
          clearable
          miw={230}
        />
        <Chip
          checked={search.awaiting === 'me'}
          onChange={(mine) => set({ awaiting: mine ? 'me' : undefined })}
          variant="outline"
          size="xs"
        >
          Waiting for you
        </Chip>
        <Chip
          checked={search.held === true}
          onChange={(held) => set({ held: held || undefined })}
          variant="outline"
          size="xs"
        >
          Legal hold
        </Chip>
      </Group>
      <RunsTable
        label="Runs"
        list={listState(runs)}
        empty={
          isFiltered ? (
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
            <EmptyState icon={IconHistory} title="No runs yet" action={<ButtonLink to="/plans">Open plans</ButtonLink>}>
              A run is one start of a plan in an environment. Start one from a plan, the command line or the API.
            </EmptyState>
          )
        }
      />
    </>
  );
}
