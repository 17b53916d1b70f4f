import { Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { libraryQueries } from '../../api/queries/library/library-queries';
import { DeleteDialog } from '../../ui/dialogs/DeleteDialog';
import { AnchorLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { type EditedRecord, RecordEditor } from './form/RecordEditor';
import type { BesideEditor } from './form/RecordFields';
import { RecordRevisions, type RevisionsSearch } from './revisions/RecordRevisions';
import type { RecordForm } from './form/record-form';
import { RECORD_KINDS, type RecordKind } from './form/record-kind';
import { ActionButton } from '../../ui/page/ActionButton';
import { UnloadedPage } from '../../ui/page/UnloadedPage';

/** How often an open record asks whether someone else has saved it. */
const CONFLICT_CHECK_MS = 15_000;

interface Whole extends EditedRecord {
  id: string;
}
type Queries<R extends Whole, U> = Pick<
  ReturnType<typeof libraryQueries<unknown, R, unknown, U>>,
  'one' | 'revisions' | 'revision' | 'diff' | 'useUpdate' | 'useRestore' | 'useDelete'
>;

interface Props<R extends Whole, U> {
  id: string;
  kind: RecordKind;
  queries: Queries<R, U>;
  tab: string | undefined;
  onTab: (tab: string | null) => void;
  search: RevisionsSearch;
  onSearch: (search: RevisionsSearch) => void;
  onDeleted: () => void;
  bodyOf: (form: RecordForm) => U;
  /** Content beside the fields. */
  beside?: (record: R, beside: BesideEditor) => ReactNode;
}

export function RecordPage<R extends Whole, U>(props: Props<R, U>) {
  const { id, kind, queries } = props;
  // The form follows newer revisions while it has no edits, and says that there is one while it has some.
  const record = useQuery({ ...queries.one(id), refetchInterval: CONFLICT_CHECK_MS, staleTime: 0 });
  if (record.data && record.isFetchedAfterMount) return <RecordView key={id} record={record.data} {...props} />;
  return <UnloadedPage title={RECORD_KINDS[kind].title} query={record} />;
}

function RecordView<R extends Whole, U>({ record, ...props }: Props<R, U> & { record: R }) {
  const { id, kind, queries, tab = 'edit', onTab, search, onSearch, onDeleted, bodyOf, beside } = props;
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
          <ActionButton role="operator" icon={IconTrash} onClick={open}>
            Delete
          </ActionButton>
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
            save={({ version, form, message }, ends) =>
              update.mutate({ version, body: { ...bodyOf(form), message } }, ends)
            }
            beside={beside && ((typed) => beside(record, typed))}
            reload={() => latest.refetch().then(({ data }) => data)}
          />
        </Tabs.Panel>
        <Tabs.Panel value="revisions">
          <RecordRevisions record={record} queries={queries} search={search} onSearch={onSearch} />
        </Tabs.Panel>
      </Tabs>
      <DeleteDialog
        record={deleting ? record : null}
        name={record.name}
        confirm={`Delete ${kind}`}
        remove={remove}
        onDeleted={onDeleted}
        onClose={close}
      >
        Deletes all revisions. A {kind} that plans use cannot be deleted. Runs keep the revision they started with.
      </DeleteDialog>
    </>
  );
}
