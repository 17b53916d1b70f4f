import { Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconFolderOpen, IconPencil, IconRefresh, IconTrash } from '@tabler/icons-react';
import { gitSourceQuery, useDeleteGitSource, useSyncGitSource } from '../../api/queries/library/git-sources';
import { isSyncing } from '../../api/queries/library/git-sync';
import type { GitSource } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { DeleteDialog } from '../../ui/dialogs/DeleteDialog';
import { AnchorLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { CommitsTab } from './browse/CommitsTab';
import { FilesTab } from './browse/FilesTab';
import { GitSourceDialog } from './form/GitSourceDialog';
import { PlansTab } from './plans/PlansTab';
import { HostKeyNotice } from './state/HostKeyNotice';
import { SourceBadge } from './state/SourceBadge';
import { SourceFacts } from './state/SourceFacts';
import { ActionButton } from '../../ui/page/ActionButton';
import { UnloadedPage } from '../../ui/page/UnloadedPage';
import { Description } from '../../ui/page/Description';

const route = getRouteApi('/app/git-sources/$id');

export function GitSourcePage() {
  const { id } = route.useParams();
  const source = useQuery(gitSourceQuery(id));
  if (source.data) return <SourceView key={id} source={source.data} />;
  return <UnloadedPage title="Git source" query={source} />;
}

function SourceView({ source }: { source: GitSource }) {
  const { open, tab = 'files' } = route.useSearch();
  const navigate = useNavigate({ from: '/git-sources/$id' });
  const sync = useSyncGitSource();
  const remove = useDeleteGitSource();
  const show = (what: 'edit' | 'delete' | undefined) =>
    void navigate({ search: (search) => ({ ...search, open: what }), replace: what === undefined });
  const close = () => show(undefined);
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
        description={<Description>{source.description || source.url}</Description>}
        actions={
          <>
            <ActionButton
              role="operator"
              icon={IconRefresh}
              variant="filled"
              loading={isSyncing(source) || sync.isPending}
              onClick={() => sync.mutate(source)}
            >
              Sync now
            </ActionButton>
            <ActionButton role="operator" icon={IconPencil} onClick={() => show('edit')}>
              Edit
            </ActionButton>
            <ActionButton role="operator" icon={IconTrash} onClick={() => show('delete')}>
              Delete
            </ActionButton>
          </>
        }
      />
      <Stack gap="md">
        {sync.error && <ErrorPanel error={sync.error} />}
        <HostKeyNotice source={source} />
        <SourceFacts source={source} />
        <SourceTabs
          source={source}
          tab={tab}
          onChange={(next) =>
            void navigate({ search: next === 'commits' || next === 'plans' ? { tab: next } : {}, replace: true })
          }
        />
      </Stack>
      {open === 'edit' && <GitSourceDialog source={source} onSaved={close} onClose={close} />}
      <DeleteDialog
        record={open === 'delete' ? source : null}
        name={source.name}
        confirm="Delete git source"
        remove={remove}
        onDeleted={() => void navigate({ to: '/git-sources', search: {} })}
        onClose={close}
      >
        The repository is not changed. A git source that scripts, templates or plans use cannot be deleted.{' '}
        {source.planFolders.length > 0 && 'Plans of its folders stay as ordinary plans.'}
      </DeleteDialog>
    </>
  );
}

interface TabsProps {
  source: GitSource;
  tab: string;
  onChange: (tab: string | null) => void;
}

function SourceTabs({ source, tab, onChange }: TabsProps) {
  return (
    <Tabs value={tab} onChange={onChange} keepMounted={false}>
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
          {isSyncing(source) ? 'The first sync is running.' : 'Files appear here after the first successful sync.'}
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
  );
}
