import { Code, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconGitBranch, IconPlus } from '@tabler/icons-react';
import { gitSourcesQuery } from '../../api/queries/library/git-sources';
import type { GitSource } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { SearchField } from '../../ui/forms/SearchField';
import { AnchorLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { listState } from '../../ui/tables/list-state';
import { GitSourceDialog } from './form/GitSourceDialog';
import { shortCommit } from './state/source-state';
import { SourceBadge } from './state/SourceBadge';
import { ActionButton } from '../../ui/page/ActionButton';

const route = getRouteApi('/app/git-sources');

const SOURCE_COLUMNS: Column<GitSource>[] = [
  {
    key: 'name',
    title: 'Name',
    render: ({ id, name, url }) => (
      <Stack gap={0}>
        <AnchorLink to="/git-sources/$id" params={{ id }} search={{}} fw={550} className="rw-wrap-anywhere">
          {name}
        </AnchorLink>
        <Text size="xs" c="dimmed" className="rw-wrap-anywhere">
          {url}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'state',
    title: 'State',
    render: (source) => (
      <Stack gap={2} align="flex-start">
        <SourceBadge source={source} />
        {source.reason !== null && (
          <Text size="xs" c="dimmed" lineClamp={2} className="rw-wrap-anywhere">
            {source.reason.text}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    key: 'branch',
    title: 'Branch',
    from: 'md',
    width: 150,
    render: ({ branch, headBranch }) => branch ?? headBranch ?? '',
  },
  {
    key: 'commit',
    title: 'Commit',
    from: 'sm',
    width: 130,
    render: ({ commit }) => (commit ? <Code>{shortCommit(commit)}</Code> : <Text c="dimmed">None</Text>),
  },
  {
    key: 'synced',
    title: 'Last synced',
    from: 'sm',
    width: 120,
    render: ({ syncedAt }) => <RelativeTime at={syncedAt} never="Never" />,
  },
];

export function GitSourcesPage() {
  const { q, open } = route.useSearch();
  const navigate = useNavigate({ from: '/git-sources' });
  const sources = useInfiniteQuery(gitSourcesQuery(q));
  const show = (what: 'new' | undefined) =>
    void navigate({ search: (search) => ({ ...search, open: what }), replace: what === undefined });
  const create = (
    <ActionButton role="operator" icon={IconPlus} variant="filled" onClick={() => show('new')}>
      New git source
    </ActionButton>
  );
  return (
    <>
      <PageHeader
        title="Git sources"
        description="Repositories for plans, scripts, templates and files. A run keeps the commit it started with."
        actions={create}
      />
      <Group mb="md">
        <SearchField
          label="Search git sources"
          value={q ?? ''}
          onChange={(value) => void navigate({ search: { q: value || undefined }, replace: true })}
        />
      </Group>
      <DataTable
        label="Git sources"
        list={listState(sources)}
        columns={SOURCE_COLUMNS}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={IconGitBranch}
            title={q ? 'No git sources match this search' : 'No git sources yet'}
            action={q ? undefined : create}
          >
            Register a repository to use plans, scripts, templates and files from it.
          </EmptyState>
        }
      />
      {open === 'new' && (
        <GitSourceDialog
          onSaved={({ id }) => void navigate({ to: '/git-sources/$id', params: { id }, search: {} })}
          onClose={() => show(undefined)}
        />
      )}
    </>
  );
}
