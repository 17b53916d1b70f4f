import { Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { comparedHostsQuery } from '../../../api/queries/runs/comparison';
import type { RunComparison } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { SearchField } from '../../../ui/forms/SearchField';
import { plural } from '../../../ui/format/format';
import { ComparedTable } from './ComparedTable';

const REFRESH_MS = 5_000;
const route = getRouteApi('/app/executions/$id/compare');

interface Props {
  comparison: RunComparison;
  /** One of both runs is in progress. */
  active: boolean;
}

/** Hosts with another result first, then those that became slower. */
export function ComparedHosts({ comparison: { run, comparedTo, steps }, active }: Props) {
  const { step, q = '' } = route.useSearch();
  const navigate = useNavigate({ from: '/executions/$id/compare' });
  const hosts = useQuery({
    ...comparedHostsQuery(run.id, { with: comparedTo?.id, stepKey: step, q: q || undefined }),
    refetchInterval: active ? REFRESH_MS : false,
  });
  const stepName = steps.find(({ key }) => key === step)?.name || step;
  const title = stepName === undefined ? 'Hosts' : `Hosts in ${stepName}`;
  const { items = [], total = 0, changedStatus = 0 } = hosts.data ?? {};
  const search = (value: string) =>
    void navigate({
      search: (before) => ({ ...before, q: value || undefined }),
      replace: true,
      resetScroll: false,
    });
  return (
    <section aria-label={title}>
      <Group justify="space-between" mb={6} gap="xs">
        <Group gap="xs">
          <Title order={2} size="h5" className="rw-wrap-anywhere">
            {title}
          </Title>
          {hosts.data && (
            <Text c="dimmed" role="status">
              {plural(total, 'host')}, {changedStatus.toLocaleString('en')} with another result
            </Text>
          )}
        </Group>
        <SearchField label="Find a host" value={q} onChange={search} />
      </Group>
      {hosts.error && <ErrorPanel error={hosts.error} onRetry={() => void hosts.refetch()} />}
      {hosts.data ? (
        <ComparedTable
          label="Hosts"
          selects="host"
          rows={items.map(({ serverId, serverName, ...sides }) => ({ key: serverId, name: serverName, ...sides }))}
        />
      ) : (
        !hosts.error && (
          <Paper>
            <RowsSkeleton />
          </Paper>
        )
      )}
      {total > items.length && (
        <Text c="dimmed" mt={4}>
          And {plural(total - items.length, 'more host')} with smaller changes. Use the search to find them.
        </Text>
      )}
    </section>
  );
}
