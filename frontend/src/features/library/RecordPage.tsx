import { Button, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type QueryKey, useInfiniteQuery, useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Can } from '../../access/Can';
import type { libraryQueries } from '../../api/queries/library/library-queries';
import { ConfirmDialog } from '../../ui/forms/ConfirmDialog';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { AnchorLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { PageSkeleton } from '../../ui/feedback/Skeletons';
import { type EditedRecord, RecordEditor } from './RecordEditor';
import type { Beside } from './RecordFields';
import { RecordRevisions, RevisionContent } from './RecordRevisions';
import type { RecordForm } from './record-form';
import { RECORD_KINDS, type RecordKind } from './record-kind';

interface Whole extends EditedRecord {
  id: string;
}
type Queries<R extends Whole, U> = Pick<
  ReturnType<typeof libraryQueries<unknown, R, unknown, U>>,
  'one' | 'revisions' | 'revision' | 'useUpdate' | 'useDelete'
>;

interface Props<R extends Whole, U> {
  id: string;
  kind: RecordKind;
  queries: Queries<R, U>;
  tab: string | undefined;
  onTab: (tab: string | null) => void;
  /** Number of the revision that is open. */
  revision: number | undefined;
  onRevision: (revision: number | undefined) => void;
  onDeleted: () => void;
  /** Converts the form to the request. */
  bodyOf: (form: RecordForm) => U;
  /** What is shown beside the fields. */
  beside?: (record: R, beside: Beside) => ReactNode;
}

/** The page of a script or template, with its revisions. */
export function RecordPage<R extends Whole, U>(props: Props<R, U>) {
  const { id, kind, queries } = props;
  // A background refetch must not change a form that is being edited; saving detects concurrent changes.
  const record = useQuery({ ...queries.one(id), refetchOnWindowFocus: false, staleTime: 0 });
  if (record.data && record.isFetchedAfterMount) return <RecordView key={id} record={record.data} {...props} />;
  if (!record.error) return <PageSkeleton />;
  return (
    <>
      <PageHeader title={RECORD_KINDS[kind].title} />
      <ErrorPanel error={record.error} onRetry={() => void record.refetch()} />
    </>
  );
}

function RecordView<R extends Whole, U>({ record, ...props }: Props<R, U> & { record: R }) {
  const { id, kind, queries, tab = 'edit', onTab, onDeleted, bodyOf, beside } = props;
  const { title, plural, list } = RECORD_KINDS[kind];
  const [deleting, { open, close }] = useDisclosure();
  const remove = queries.useDelete();
  const update = queries.useUpdate(id);
  const latest = useQuery({ ...queries.one(id), enabled: false });
  return (
    <>
      <PageHeader
        title={record.name}
        above={
          <AnchorLink to={list} size="xs">
            {plural}
          </AnchorLink>
        }
        description={`Revision ${record.revision}`}
        actions={
          <Can role="operator">
            <Button variant="default" leftSection={<IconTrash size={15} aria-hidden />} onClick={open}>
              Delete
            </Button>
          </Can>
        }
      />
      <Tabs value={tab} onChange={onTab} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="edit">{title}</Tabs.Tab>
          <Tabs.Tab value="revisions">Revisions</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="edit" keepMounted>
          <RecordEditor
            kind={kind}
            record={record}
            pending={update.isPending}
            save={({ version, form }, ends) => update.mutate({ version, body: bodyOf(form) }, ends)}
            beside={beside && ((typed) => beside(record, typed))}
            reload={() => latest.refetch().then(({ data }) => data)}
          />
        </Tabs.Panel>
        <Tabs.Panel value="revisions">
          <Revisions {...props} />
        </Tabs.Panel>
      </Tabs>
      <ConfirmDialog
        opened={deleting}
        title={`Delete ${record.name}?`}
        confirm={`Delete ${kind}`}
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(record, { onSuccess: onDeleted })}
        onClose={() => {
          remove.reset();
          close();
        }}
      >
        It goes away with its revisions. A {kind} that plans use can’t be deleted; runs keep what they began with.
      </ConfirmDialog>
    </>
  );
}

function Revisions<R extends Whole, U>({ id, queries, revision, onRevision }: Props<R, U>) {
  const revisions = useInfiniteQuery(queries.revisions(id));
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
      onOpen={onRevision}
      content={(number) => <Content query={queries.revision(id, number)} />}
    />
  );
}

function Content<K extends QueryKey>({
  query,
}: {
  query: UseQueryOptions<{ content: string }, Error, { content: string }, K>;
}) {
  return <RevisionContent query={useQuery(query)} />;
}
