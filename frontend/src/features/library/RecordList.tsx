import { Code, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { Can } from '../../access/Can';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { PageHeader } from '../../ui/page/PageHeader';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { SearchField } from '../../ui/forms/SearchField';
import { AnchorLink, ButtonLink } from '../../ui/page/links';
import type { ScriptProgram } from '../../api/types';
import { RECORD_KINDS, type RecordKind } from './form/record-kind';

interface RecordSummary {
  id: string;
  name: string;
  description: string;
  program?: ScriptProgram | null;
  revision: number;
  updatedAt: string;
}

interface Props<R extends RecordSummary> {
  kind: RecordKind;
  icon: ComponentProps<typeof EmptyState>['icon'];
  description: string;
  /** Description for the empty state. */
  use: string;
  list: ComponentProps<typeof DataTable<R>>['list'];
  q: string | undefined;
  onSearch: (q: string | undefined) => void;
}

export function RecordList<R extends RecordSummary>(props: Props<R>) {
  const { kind, icon, description, use, list, q, onSearch } = props;
  const { plural, page, create: createPage } = RECORD_KINDS[kind];
  const columns: Column<R>[] = [
    {
      key: 'name',
      title: 'Name',
      render: ({ id, name, description: about }) => (
        <Stack gap={0}>
          <AnchorLink to={page} params={{ id }} fw={550}>
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
    ...(kind === 'script'
      ? [
          {
            key: 'program',
            title: 'Interpreter',
            from: 'sm' as const,
            width: 200,
            render: ({ program }: R) => (program ? <Code>{program.words.join(' ')}</Code> : 'line 1 of the file'),
          },
        ]
      : []),
    { key: 'revision', title: 'Revision', width: 110, render: ({ revision }) => revision },
    {
      key: 'changed',
      title: 'Last changed',
      from: 'sm',
      width: 160,
      render: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
    },
  ];
  const create = (
    <Can role="operator">
      <ButtonLink to={createPage} leftSection={<IconPlus size={15} aria-hidden />}>
        New {kind}
      </ButtonLink>
    </Can>
  );
  const empty = (
    <EmptyState
      icon={icon}
      title={q ? `No ${kind}s match this search` : `No ${kind}s yet`}
      action={q ? undefined : create}
    >
      {use}
    </EmptyState>
  );
  return (
    <>
      <PageHeader title={plural} description={description} actions={create} />
      <Group mb="md">
        <SearchField label={`Search ${kind}s`} value={q ?? ''} onChange={(value) => onSearch(value || undefined)} />
      </Group>
      <DataTable label={plural} list={list} columns={columns} rowKey={({ id }) => id} empty={empty} />
    </>
  );
}
