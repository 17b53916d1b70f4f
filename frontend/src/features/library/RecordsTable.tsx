import { Code, Group, Stack, Text } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { PageHeader } from '../../ui/page/PageHeader';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { SearchField } from '../../ui/forms/SearchField';
import { AnchorLink } from '../../ui/page/links';

interface RecordSummary {
  id: string;
  name: string;
  description: string;
  interpreter?: string;
  revision: number;
  updatedAt: string;
}

interface Props<R extends RecordSummary> {
  title: string;
  description: string;
  to: '/scripts/$id' | '/templates/$id';
  list: ComponentProps<typeof DataTable<R>>['list'];
  q: string | undefined;
  onSearch: (q: string | undefined) => void;
  create: ReactNode;
  empty: ReactNode;
}

export function RecordsTable<R extends RecordSummary>(props: Props<R>) {
  const { title, description, to, list, q, onSearch, create, empty } = props;
  const columns: Column<R>[] = [
    {
      key: 'name',
      title: 'Name',
      render: ({ id, name, description: about }) => (
        <Stack gap={0}>
          <AnchorLink to={to} params={{ id }} fw={550}>
            {name}
          </AnchorLink>
          {about && (
            <Text size="xs" c="dimmed" lineClamp={1}>
              {about}
            </Text>
          )}
        </Stack>
      ),
    },
    ...(to === '/scripts/$id'
      ? [
          {
            key: 'interpreter',
            title: 'Interpreter',
            from: 'sm' as const,
            width: 200,
            render: ({ interpreter }: R) => <Code>{interpreter}</Code>,
          },
        ]
      : []),
    { key: 'revision', title: 'Revision', width: 110, render: ({ revision }) => revision },
    {
      key: 'changed',
      title: 'Changed',
      from: 'sm',
      width: 160,
      render: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
    },
  ];
  return (
    <>
      <PageHeader title={title} description={description} actions={create} />
      <Group mb="md">
        <SearchField
          label={`Search ${title.toLowerCase()}`}
          value={q ?? ''}
          onChange={(value) => onSearch(value || undefined)}
        />
      </Group>
      <DataTable label={title} list={list} columns={columns} rowKey={({ id }) => id} empty={empty} />
    </>
  );
}
