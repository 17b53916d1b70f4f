import { Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconPlus, IconStack2 } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../access/Can';
import { missingGrant } from '../../access/environment-access';
import { environmentsQuery, useDeleteEnvironment } from '../../api/queries/inventory/environments';
import { meQuery } from '../../api/queries/access/session';
import type { Environment } from '../../api/types';
import { ConfirmDialog } from '../../ui/forms/ConfirmDialog';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { EnvironmentBadges } from '../../ui/environments/EnvironmentBadges';
import { listState } from '../../ui/tables/list-state';
import { AnchorLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { RowActions } from '../../ui/tables/RowActions';
import { SearchField } from '../../ui/forms/SearchField';
import { EnvironmentDialog } from './EnvironmentDialog';

const route = getRouteApi('/app/environments');

export function EnvironmentsPage() {
  const { q } = route.useSearch();
  const navigate = useNavigate({ from: '/environments' });
  const { data: me } = useQuery(meQuery);
  const environments = useInfiniteQuery(environmentsQuery(q));
  const [editedEnvironment, setEditedEnvironment] = useState<Environment | 'new' | null>(null);
  const [environmentToDelete, setEnvironmentToDelete] = useState<Environment | null>(null);
  const remove = useDeleteEnvironment();
  const create = (
    <Can role="operator">
      <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={() => setEditedEnvironment('new')}>
        New environment
      </Button>
    </Can>
  );
  const columns: Column<Environment>[] = [
    {
      key: 'name',
      title: 'Name',
      render: (environment) => (
        <Stack gap={4} align="flex-start">
          <AnchorLink to="/environments/$id" params={{ id: environment.id }} fw={550}>
            {environment.name}
          </AnchorLink>
          <Group hiddenFrom="xs">
            <EnvironmentBadges environment={environment} />
          </Group>
        </Stack>
      ),
    },
    {
      key: 'access',
      title: 'Access',
      from: 'xs',
      width: 250,
      render: (environment) => <EnvironmentBadges environment={environment} />,
    },
    {
      key: 'description',
      title: 'Description',
      from: 'md',
      render: ({ description }) => description || <Text c="dimmed">–</Text>,
    },
    {
      key: 'links',
      title: 'Links',
      width: 160,
      render: ({ id, name }) => (
        <Group gap="sm">
          <AnchorLink to="/servers" search={{ environment: id }} aria-label={`Servers of ${name}`}>
            Servers
          </AnchorLink>
          <AnchorLink to="/executions" search={{ environment: id }} aria-label={`Runs in ${name}`}>
            Runs
          </AnchorLink>
        </Group>
      ),
    },
    {
      key: 'changed',
      title: 'Last changed',
      from: 'lg',
      width: 120,
      render: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
    },
    {
      key: 'actions',
      title: '',
      width: 60,
      align: 'right',
      render: (environment) => (
        <RowActions
          label={`Actions for ${environment.name}`}
          unless={missingGrant(me?.role, environment)}
          onEdit={() => setEditedEnvironment(environment)}
          onDelete={() => {
            remove.reset();
            setEnvironmentToDelete(environment);
          }}
        />
      ),
    },
  ];
  return (
    <>
      <PageHeader
        title="Environments"
        description="Named sets of servers. A plan runs in one of them; each server belongs to exactly one."
        actions={create}
      />
      <Group mb="md">
        <SearchField
          label="Search environments"
          value={q ?? ''}
          onChange={(value) => void navigate({ search: { q: value || undefined }, replace: true })}
        />
      </Group>
      <DataTable
        label="Environments"
        list={listState(environments)}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={IconStack2}
            title={q ? 'No environments match this search' : 'No environments yet'}
            action={q ? undefined : create}
          >
            An environment is a named set of servers, such as staging or production.
          </EmptyState>
        }
      />
      {editedEnvironment && (
        <EnvironmentDialog
          current={editedEnvironment === 'new' ? null : editedEnvironment}
          onClose={() => setEditedEnvironment(null)}
        />
      )}
      <ConfirmDialog
        opened={environmentToDelete !== null}
        title={`Delete ${environmentToDelete?.name ?? ''}?`}
        confirm="Delete environment"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() =>
          environmentToDelete && remove.mutate(environmentToDelete, { onSuccess: () => setEnvironmentToDelete(null) })
        }
        onClose={() => setEnvironmentToDelete(null)}
      >
        An environment with servers or plans cannot be deleted.
      </ConfirmDialog>
    </>
  );
}
