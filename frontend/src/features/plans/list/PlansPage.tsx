import { Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconFileImport, IconListCheck, IconPlayerPlay, IconPlus } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import { environmentChoicesQuery } from '../../../api/queries/environments';
import { plansQuery } from '../../../api/queries/plans';
import type { PlanSummary } from '../../../api/types';
import { type Column, DataTable } from '../../../ui/tables/DataTable';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import { listState } from '../../../ui/tables/list-state';
import { AnchorLink, ButtonLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { SearchField } from '../../../ui/forms/SearchField';
import { StartLink } from '../../../ui/runs/StartLink';
import { LastRuns } from './LastRuns';

const route = getRouteApi('/app/plans');

export function PlansPage() {
  const { q, environment } = route.useSearch();
  const navigate = useNavigate({ from: '/plans' });
  const plans = useInfiniteQuery(plansQuery({ q, environmentId: environment }));
  const environments = useQuery(environmentChoicesQuery);
  const names = new Map(environments.data?.items.map(({ id, name }) => [id, name]));
  const actions = (
    <Group gap="xs">
      <Can role="operator">
        <ButtonLink to="/plans/import" variant="default" leftSection={<IconFileImport size={15} aria-hidden />}>
          Import
        </ButtonLink>
      </Can>
      <Can role="operator">
        <ButtonLink to="/plans/new" leftSection={<IconPlus size={15} aria-hidden />}>
          New plan
        </ButtonLink>
      </Can>
    </Group>
  );
  const columns: Column<PlanSummary>[] = [
    {
      key: 'name',
      title: 'Plan',
      render: (plan) => (
        <Stack gap={0}>
          <AnchorLink to="/plans/$id" params={{ id: plan.id }} fw={550}>
            {plan.name}
          </AnchorLink>
          {plan.description && (
            <Text size="xs" c="dimmed" lineClamp={1}>
              {plan.description}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'environment',
      title: 'Environment',
      from: 'sm',
      width: 160,
      render: ({ environmentId }) =>
        environmentId ? (names.get(environmentId) ?? '…') : <Text c="dimmed">Chosen at the start</Text>,
    },
    { key: 'runs', title: 'Last runs', from: 'xs', width: 150, render: (plan) => <LastRuns planId={plan.id} /> },
    { key: 'revision', title: 'Revision', from: 'md', width: 90, render: (plan) => plan.revision },
    { key: 'saved', title: 'Saved', from: 'md', width: 120, render: (plan) => <RelativeTime at={plan.updatedAt} /> },
    {
      key: 'run',
      title: '',
      width: 90,
      align: 'right',
      render: (plan) => (
        <Can role="operator">
          <StartLink
            planId={plan.id}
            variant="light"
            aria-label={`Run ${plan.name}`}
            leftSection={<IconPlayerPlay size={14} aria-hidden />}
          >
            Run
          </StartLink>
        </Can>
      ),
    },
  ];

  return (
    <>
      <PageHeader
        title="Plans"
        description="Ordered steps with variables. Every save makes a new revision; runs keep the one that they were started with."
        actions={actions}
      />
      <Group gap="xs" mb="md">
        <SearchField
          label="Search plans"
          value={q ?? ''}
          onChange={(value) =>
            void navigate({ search: (before) => ({ ...before, q: value || undefined }), replace: true })
          }
        />
        <EnvironmentSelect
          aria-label="Environment"
          placeholder="Any environment"
          value={environment ?? null}
          onChange={(value: string | null) =>
            void navigate({ search: (before) => ({ ...before, environment: value ?? undefined }), replace: true })
          }
          clearable
        />
      </Group>
      <DataTable
        label="Plans"
        list={listState(plans)}
        columns={columns}
        rowKey={(plan) => plan.id}
        empty={
          q || environment ? (
            <EmptyState
              icon={IconListCheck}
              title="No plan fits"
              action={
                <ButtonLink to="/plans" variant="default">
                  Show all plans
                </ButtonLink>
              }
            >
              No plan has this name in this environment.
            </EmptyState>
          ) : (
            <EmptyState icon={IconListCheck} title="No plans yet" action={actions}>
              A plan says which commands run on which servers, in which order. Write one, then run it here or from your
              pipeline.
            </EmptyState>
          )
        }
      />
    </>
  );
}
