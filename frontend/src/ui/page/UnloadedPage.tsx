import type { UseQueryResult } from '@tanstack/react-query';
import { ErrorPanel } from '../feedback/ErrorPanel';
import { PageSkeleton } from '../feedback/Skeletons';
import { PageHeader } from './PageHeader';

/** Page of a record that is loading, or could not be loaded. */
export function UnloadedPage({ title, query }: { title: string; query: Pick<UseQueryResult, 'error' | 'refetch'> }) {
  if (!query.error) return <PageSkeleton />;
  return (
    <>
      <PageHeader title={title} />
      <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
    </>
  );
}
