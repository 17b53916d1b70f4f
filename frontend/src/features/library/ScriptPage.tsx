import { Button, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconTrash } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import {
  scriptQuery,
  scriptRevisionQuery,
  scriptRevisionsQuery,
  useDeleteScript,
  useUpdateScript,
} from '../../api/queries/scripts';
import type { Script } from '../../api/types';
import { ConfirmDialog } from '../../ui/ConfirmDialog';
import { ErrorPanel } from '../../ui/ErrorPanel';
import { AnchorLink } from '../../ui/links';
import { PageHeader } from '../../ui/PageHeader';
import { PageSkeleton } from '../../ui/Skeletons';
import { RecordEditor } from './RecordEditor';
import { RecordRevisions, RevisionContent } from './RecordRevisions';

const route = getRouteApi('/app/scripts/$id');

export function ScriptPage() {
  const { id } = route.useParams();
  // A refetch in the background must not change a form that somebody types in; saving finds out about other changes.
  const script = useQuery({ ...scriptQuery(id), refetchOnWindowFocus: false, staleTime: 0 });
  if (script.data && script.isFetchedAfterMount) return <ScriptView key={id} script={script.data} />;
  if (!script.error) return <PageSkeleton />;
  return (
    <>
      <PageHeader title="Script" />
      <ErrorPanel error={script.error} onRetry={() => void script.refetch()} />
    </>
  );
}

function ScriptView({ script }: { script: Script }) {
  const { id } = script;
  const { tab = 'edit' } = route.useSearch();
  const navigate = useNavigate({ from: '/scripts/$id' });
  const [deleting, { open, close }] = useDisclosure();
  const remove = useDeleteScript();
  const update = useUpdateScript(id);
  const latest = useQuery({ ...scriptQuery(id), enabled: false });
  const choose = (next: string | null) => void navigate({ search: { tab: next === 'revisions' ? next : undefined } });
  return (
    <>
      <PageHeader
        title={script.name}
        above={
          <AnchorLink to="/scripts" size="xs">
            Scripts
          </AnchorLink>
        }
        description={`Revision ${script.revision}`}
        actions={
          <Can role="operator">
            <Button variant="default" leftSection={<IconTrash size={15} aria-hidden />} onClick={open}>
              Delete
            </Button>
          </Can>
        }
      />
      <Tabs value={tab} onChange={choose} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="edit">Script</Tabs.Tab>

          <Tabs.Tab value="revisions">Revisions</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="edit" keepMounted>
          <RecordEditor
            kind="script"
            record={script}
            pending={update.isPending}
            save={({ version, form }, ends) => update.mutate({ version, body: form }, ends)}
            reload={() => latest.refetch().then(({ data }) => data)}
          />
        </Tabs.Panel>

        <Tabs.Panel value="revisions">
          <Revisions id={id} />
        </Tabs.Panel>
      </Tabs>
      <ConfirmDialog
        opened={deleting}
        title={`Delete ${script.name}?`}
        confirm="Delete script"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() =>
          remove.mutate(script, { onSuccess: () => void navigate({ to: '/scripts', ignoreBlocker: true }) })
        }
        onClose={() => {
          remove.reset();
          close();
        }}
      >
        It goes away with its revisions. A script that plans use can’t be deleted; runs keep what they began with.
      </ConfirmDialog>
    </>
  );
}

function Revisions({ id }: { id: string }) {
  const { revision } = route.useSearch();
  const navigate = useNavigate({ from: '/scripts/$id' });
  const revisions = useInfiniteQuery(scriptRevisionsQuery(id));
  return (
    <RecordRevisions
      revisions={revisions.data?.pages.flatMap((page) => page.items)}
      error={revisions.error}
      onRetry={() => void revisions.refetch()}
      more={{
        has: revisions.hasNextPage,
        pending: revisions.isFetchingNextPage,
        load: () => void revisions.fetchNextPage(),
      }}
      open={revision}
      onOpen={(next) => void navigate({ search: (before) => ({ ...before, revision: next }), replace: true })}
      content={(number) => <Content id={id} number={number} />}
    />
  );
}

function Content({ id, number }: { id: string; number: number }) {
  return <RevisionContent query={useQuery(scriptRevisionQuery(id, number))} />;
}
