import { Code, Text } from '@mantine/core';
import { type QueryKey, useInfiniteQuery, useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { useState } from 'react';
import type { libraryQueries, LibraryRevision } from '../../../api/queries/library/library-queries';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { chosenRevisions, type ComparedSearch, searchOf } from '../../../ui/revisions/compared';
import { RestoreDialog } from '../../../ui/revisions/RestoreDialog';
import { RevisionDiff } from '../../../ui/revisions/RevisionDiff';
import { RevisionList } from '../../../ui/revisions/RevisionList';
import { listState } from '../../../ui/tables/list-state';
import { changeLines } from './revision-changes';

export interface RevisionsSearch extends ComparedSearch {
  revision?: number;
}

interface Props<R extends { id: string; revision: number; version: number }, U> {
  record: R & { name: string };
  queries: Pick<
    ReturnType<typeof libraryQueries<unknown, R, unknown, U>>,
    'revisions' | 'revision' | 'diff' | 'useRestore'
  >;
  search: RevisionsSearch;
  onSearch: (search: RevisionsSearch) => void;
}

export function RecordRevisions<R extends { id: string; revision: number; version: number }, U>({
  record,
  queries,
  search,
  onSearch,
}: Props<R, U>) {
  const { id } = record;
  const revisions = useInfiniteQuery(queries.revisions(id));
  const restoreMutation = queries.useRestore(record);
  const [restoredNumber, setRestoredNumber] = useState<number | null>(null);
  const chosen = chosenRevisions(search);
  const [earlier = 0, later = 0] = chosen;
  const diff = useQuery({ ...queries.diff(id, earlier, later), enabled: later > 0 });
  return (
    <>
      <RevisionDiff chosen={chosen} diff={diff} changes={changeLines} onClose={() => onSearch(searchOf([]))} />
      <RevisionList
        list={listState(revisions)}
        latest={record.revision}
        open={search.revision}
        onOpen={(revision) => onSearch({ revision })}
        chosen={chosen}
        onChoose={(next) => onSearch(searchOf(next))}
        onRestore={setRestoredNumber}
        facts={(revision) => <RevisionFacts revision={revision} />}
        content={({ number }) => <Content query={queries.revision(id, number)} />}
      />
      <RestoreDialog
        revision={restoredNumber}
        name={record.name}
        restoreMutation={restoreMutation}
        onClose={() => setRestoredNumber(null)}
        onRestored={() => onSearch({ revision: undefined, ...searchOf([]) })}
      />
    </>
  );
}

function RevisionFacts({ revision: { interpreter, bytes } }: { revision: LibraryRevision }) {
  return (
    <>
      {interpreter && <Code>{interpreter}</Code>}
      <Text span>{bytes} bytes</Text>
    </>
  );
}

function Content<K extends QueryKey>({
  query,
}: {
  query: UseQueryOptions<{ content: string }, Error, { content: string }, K>;
}) {
  const { data, error, refetch } = useQuery(query);
  if (!data) return error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <RowsSkeleton />;
  return (
    <Code block tabIndex={0} className="rw-pre-wrap">
      {data.content}
    </Code>
  );
}
