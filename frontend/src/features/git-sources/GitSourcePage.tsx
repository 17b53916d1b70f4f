import { Button, Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconFolderOpen, IconPencil, IconRefresh, IconTrash } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import { gitSourceQuery, useDeleteGitSource, useSyncGitSource } from '../../api/queries/library/git-sources';
import { isSyncing } from '../../api/queries/library/git-sync';
import type { GitSource } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { PageSkeleton } from '../../ui/feedback/Skeletons';
import { ConfirmDialog } from '../../ui/forms/ConfirmDialog';
import { AnchorLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { CommitsTab } from './browse/CommitsTab';
import { FilesTab } from './browse/FilesTab';
import { GitSourceDialog } from './form/GitSourceDialog';
import { PlansTab } from './plans/PlansTab';
import { HostKeyNotice } from './state/HostKeyNotice';
import { SourceBadge } from './state/SourceBadge';
import { SourceFacts } from './state/SourceFacts';

const route = getRouteApi('/app/git-sources/$id');

export function GitSourcePage() {
  const { id } = route.useParams();
  const source = useQuery(gitSourceQuery(id));
  if (source.data) return <SourceView key={id} source={source.data} />;
  if (!source.error) return <PageSkeleton />;
  return (
    <>
      <PageHeader title="Git source" />
      <ErrorPanel error={source.error} onRetry={() => void source.refetch()} />
    </>
  );
}

function SourceView({ source }: { source: GitSource }) {
  const { open, tab = 'files' } = route.useSearch();
  const navigate = useNavigate({ from: '/git-sources/$id' });
  const sync = useSyncGitSource();
  const remove = useDeleteGitSource();
  const show = (what: 'edit' | 'delete' | undefined) =>
    void navigate({ search: (search) => ({ ...search, open: what }), replace: what === undefined });
  const close = () => show(undefined);
  const busy = isSyncing(source);
  return (
    <>
      <PageHeader
        title={source.name}
        above={
          <AnchorLink to="/git-sources" search={{}} size="xs">
            Git sources
          </AnchorLink>
        }
        badge={<SourceBadge source={source} />}
        description={source.description || source.url}
        actions={
          <>
            <Can role="operator">
              <Button
                leftSection={<IconRefresh size={15} aria-hidden />}
                loading={busy || sync.isPending}
                onClick={() => sync.mutate(source)}
              >
                Sync now
              </Button>
            </Can>
            <Can role="operator">
              <Button variant="default" leftSection={<IconPencil size={15} aria-hidden />} onClick={() => show('edit')}>
                Edit
              </Button>
            </Can>
            <Can role="operator">
              <Button
                variant="default"
                leftSection={<IconTrash size={15} aria-hidden />}
                onClick={() => show('delete')}
              >
                Delete
              </Button>
            </Can>
          </>
        }
      />
      <Stack gap="md">
        {sync.error && <ErrorPanel error={sync.error} />}
        <HostKeyNotice source={source} />
        <SourceFacts source={source} />
        <Tabs
          value={tab}
          onChange={(next) =>
            void navigate({ search: next === 'commits' || next === 'plans' ? { tab: next } : {}, replace: true })
          }
          keepMounted={false}
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="files">Files</Tabs.Tab>
            <Tabs.Tab value="commits">Commits</Tabs.Tab>
            <Tabs.Tab value="plans">Plans</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="plans">
            <PlansTab source={source} />
          </Tabs.Panel>
          {tab === 'plans' ? null : source.commit === null ? (
            <EmptyState icon={IconFolderOpen} title="No content yet">
              {busy ? 'The first sync is running.' : 'Files appear here after the first successful sync.'}
            </EmptyState>
          ) : (
            <>
              <Tabs.Panel value="files">
                <FilesTab id={source.id} commit={source.commit} />
              </Tabs.Panel>
              <Tabs.Panel value="commits">
                <CommitsTab id={source.id} commit={source.commit} />
              </Tabs.Panel>
            </>
          )}
        </Tabs>
      </Stack>
      {open === 'edit' && <GitSourceDialog source={source} onSaved={close} onClose={close} />}
      <ConfirmDialog
        opened={open === 'delete'}
        title={`Delete ${source.name}?`}
        confirm="Delete git source"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(source, { onSuccess: () => void navigate({ to: '/git-sources', search: {} }) })}
        onClose={() => {
          remove.reset();
          close();
        }}
      >
        The repository is not changed. A git source that scripts, templates or plans use cannot be deleted.{' '}
        {source.planFolders.length > 0 && 'Plans of its folders stay as ordinary plans.'}
      </ConfirmDialog>
    </>
  );
}
