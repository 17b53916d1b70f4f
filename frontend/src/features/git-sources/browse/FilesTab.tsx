import { Alert, Breadcrumbs, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconArrowLeft, IconFile, IconFolder, IconGitBranch, IconLink } from '@tabler/icons-react';
import { gitTreeQuery } from '../../../api/queries/library/git-sources';
import type { GitTreeEntry } from '../../../api/types';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { bytes, plural } from '../../../ui/format/format';
import { AnchorLink } from '../../../ui/page/links';
import { type Column, DataTable } from '../../../ui/tables/DataTable';
import { listState } from '../../../ui/tables/list-state';
import { shortCommit } from '../state/source-state';
import { FileView } from './FileView';
import { folderPlaces, parentOf } from './tree-path';

const route = getRouteApi('/app/git-sources/$id');

interface Props {
  id: string;
  commit: string;
}

const ICONS: Record<GitTreeEntry['type'], typeof IconFile> = {
  folder: IconFolder,
  file: IconFile,
  executable: IconFile,
  symlink: IconLink,
  submodule: IconGitBranch,
};

export function FilesTab({ id, commit: current }: Props) {
  const { path = '', file, at } = route.useSearch();
  const commit = at ?? current;
  return (
    <Stack gap="sm">
      {commit !== current && (
        <Alert color="blue" py="xs">
          You are viewing commit {shortCommit(commit)}, not the current one.{' '}
          <AnchorLink to="." search={{ path: path || undefined, file }} underline="always">
            Show current commit
          </AnchorLink>
        </Alert>
      )}
      <Breadcrumbs separatorMargin={6} className="rw-flex-wrap">
        {folderPlaces(file ?? path).map(({ name, path: folder, last }) =>
          last ? (
            <Text key={folder} fw={550} className="rw-wrap-anywhere">
              {name}
            </Text>
          ) : (
            <AnchorLink key={folder} to="." search={{ at, path: folder || undefined }}>
              {name}
            </AnchorLink>
          ),
        )}
      </Breadcrumbs>
      {file === undefined ? (
        <Folder key={`${commit} ${path}`} id={id} commit={commit} path={path} />
      ) : (
        <>
          <Group>
            <AnchorLink to="." search={{ at, path: parentOf(file) || undefined }}>
              <Group gap={4}>
                <IconArrowLeft size={14} aria-hidden /> Back to folder
              </Group>
            </AnchorLink>
          </Group>
          <FileView id={id} commit={commit} path={file} />
        </>
      )}
    </Stack>
  );
}

function Folder({ id, commit, path }: Props & { path: string }) {
  const { at } = route.useSearch();
  const tree = useInfiniteQuery(gitTreeQuery({ id, commit, path }));
  const leftOut = tree.data?.pages[0]?.leftOut ?? 0;
  const columns: Column<GitTreeEntry>[] = [
    {
      key: 'name',
      title: 'Name',
      render: ({ type, name, path: entry }) => {
        const Glyph = ICONS[type];
        const search =
          type === 'folder'
            ? { at, path: entry }
            : type === 'file' || type === 'executable'
              ? { at, file: entry }
              : null;
        return (
          <Group gap={8} wrap="nowrap">
            <Glyph size={16} aria-hidden className="rw-no-shrink" />
            {search ? (
              <AnchorLink to="." search={search} className="rw-wrap-anywhere">
                {name}
              </AnchorLink>
            ) : (
              <Text c="dimmed" className="rw-wrap-anywhere">
                {name} ({type === 'symlink' ? 'symbolic link, not followed' : 'submodule, not fetched'})
              </Text>
            )}
          </Group>
        );
      },
    },
    {
      key: 'size',
      title: 'Size',
      width: 110,
      align: 'right',
      render: ({ size }) => (size === null ? '' : bytes(size)),
    },
  ];
  return (
    <>
      <DataTable
        label={path === '' ? 'Files' : `Files of ${path}`}
        list={listState(tree)}
        columns={columns}
        rowKey={({ path: entry }) => entry}
        empty={
          <EmptyState icon={IconFolder} title="Empty folder">
            This folder has no entries.
          </EmptyState>
        }
      />
      {leftOut > 0 && (
        <Text size="xs" c="dimmed">
          {plural(leftOut, 'entry is', 'entries are')} not listed because of unsupported characters in the name.
        </Text>
      )}
    </>
  );
}
