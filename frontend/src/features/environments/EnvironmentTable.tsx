import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { missingGrant } from '../../access/environment-access';
import { meQuery } from '../../api/queries/access/session';
import type { Environment } from '../../api/types';
import { EnvironmentBadges } from '../../ui/environments/EnvironmentBadges';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { AnchorLink } from '../../ui/page/links';
import { type Column, DataTable, type ListState } from '../../ui/tables/DataTable';
import { RowActions } from '../../ui/tables/RowActions';

interface Props {
  list: ListState<Environment>;
  empty: ReactNode;
  onEdit: (environment: Environment) => void;
  onDelete: (environment: Environment) => void;
}

export function EnvironmentTable({ list, empty, onEdit, onDelete }: Props) {
  const { data: me } = useQuery(meQuery);
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
      render: ({ description }) => (description ? <Text lineClamp={2}>{description}</Text> : <Text c="dimmed">–</Text>),
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
          onEdit={() => onEdit(environment)}
          onDelete={() => onDelete(environment)}
        />
      ),
    },
  ];
  return <DataTable label="Environments" list={list} columns={columns} rowKey={({ id }) => id} empty={empty} />;
}
