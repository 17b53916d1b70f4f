import { Box, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconFileImport } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { importsQuery } from '../../../api/queries/inventory/imports';
import type { ServerImport } from '../../../api/types';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { AnchorLink, ButtonLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { type Column, DataTable } from '../../../ui/tables/DataTable';
import { listState } from '../../../ui/tables/list-state';
import { countsText } from './entries/chips';
import { ImportBadge } from './ImportBadge';
import { originOf } from './import-states';

const route = getRouteApi('/app/servers/imports');

export function ImportsPage() {
  const { environment } = route.useSearch();
  const navigate = useNavigate({ from: '/servers/imports' });
  const imports = useInfiniteQuery(importsQuery(environment));
  const environments = useQuery(environmentChoicesQuery);
  const start = (
    <Can role="operator">
      <ButtonLink to="/servers/import" leftSection={<IconFileImport size={15} aria-hidden />}>
        Import servers
      </ButtonLink>
    </Can>
  );
  return (
    <>
      <PageHeader
        title="Past imports"
        above={
          <AnchorLink to="/servers" size="xs">
            Servers
          </AnchorLink>
        }
        description="Server imports and previews, newest first."
        actions={start}
      />
      <Group mb="md">
        <EnvironmentSelect
          aria-label="Environment"
          placeholder="Any environment"
          value={environment ?? null}
          onChange={(value: string | null) =>
            void navigate({ search: value === null ? {} : { environment: value }, replace: true })
          }
          clearable
        />
      </Group>
      <DataTable
        label="Past imports"
        list={listState(imports)}
        columns={columnsOf((id) => environments.data?.items.find((one) => one.id === id)?.name ?? '…')}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={IconFileImport}
            title={environment ? 'No imports into this environment' : 'No imports yet'}
            action={start}
          >
            An import creates or updates servers from an Ansible inventory, an SSH config or a list.
          </EmptyState>
        }
      />
    </>
  );
}

const columnsOf = (environmentName: (id: string) => string): Column<ServerImport>[] => [
  {
    key: 'what',
    title: 'Import',
    render: (one) => (
      <Stack gap={0} align="flex-start">
        <AnchorLink to="/servers/import" search={{ import: one.id }} fw={550}>
          {originOf(one)}
        </AnchorLink>
        <Text size="xs" c="dimmed">
          {one.preview ? 'Preview' : 'Import'}
          {one.counts && `: ${countsText(one.counts)}`}
        </Text>
        <Box hiddenFrom="sm" mt={2}>
          <ImportBadge of={one} />
        </Box>
      </Stack>
    ),
  },
  { key: 'state', title: 'State', from: 'sm', width: 170, render: (one) => <ImportBadge of={one} /> },
  {
    key: 'environment',
    title: 'Environment',
    from: 'sm',
    width: 150,
    render: ({ environmentId }) => environmentName(environmentId),
  },
  { key: 'who', title: 'Started by', from: 'md', width: 160, render: ({ createdBy }) => createdBy.name },
  { key: 'when', title: 'Time', width: 120, render: ({ createdAt }) => <RelativeTime at={createdAt} /> },
];
