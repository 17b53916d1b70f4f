import { Code, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconGitCommit } from '@tabler/icons-react';
import { gitCommitsQuery } from '../../../api/queries/library/git-sources';
import type { GitCommit } from '../../../api/types';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { AnchorLink } from '../../../ui/page/links';
import { type Column, DataTable } from '../../../ui/tables/DataTable';
import { listState } from '../../../ui/tables/list-state';
import { shortCommit } from '../state/source-state';

const COLUMNS: Column<GitCommit>[] = [
  {
    key: 'subject',
    title: 'Commit',
    render: ({ commit, subject, authorName }) => (
      <Stack gap={0}>
        <AnchorLink to="." search={{ at: commit }} className="rw-wrap-anywhere">
          {subject || 'No message'}
        </AnchorLink>
        <Text size="xs" c="dimmed" className="rw-wrap-anywhere">
          {authorName}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'id',
    title: 'ID',
    from: 'sm',
    width: 140,
    render: ({ commit }) => <Code title={commit}>{shortCommit(commit)}</Code>,
  },
  { key: 'at', title: 'Committed', width: 130, render: ({ committedAt }) => <RelativeTime at={committedAt} /> },
];

export function CommitsTab({ id, commit }: { id: string; commit: string }) {
  const commits = useInfiniteQuery(gitCommitsQuery({ id, commit, path: '' }));
  return (
    <DataTable
      label="Commits"
      list={listState(commits)}
      columns={COLUMNS}
      rowKey={({ commit: id }) => id}
      empty={
        <EmptyState icon={IconGitCommit} title="No commits">
          The branch has no commits yet.
        </EmptyState>
      }
    />
  );
}
