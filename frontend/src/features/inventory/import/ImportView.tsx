import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { importQuery, isEnded } from '../../../api/queries/inventory/imports';
import type { ImportServersRequest, ServerImport } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { PageSkeleton } from '../../../ui/feedback/Skeletons';
import { PageHeader } from '../../../ui/page/PageHeader';
import { Entries } from './entries/Entries';
import { ImportHeader } from './ImportHeader';
import { NotCarriedList } from './faults/NotCarriedList';
import { entriesTitle } from './import-states';
import { OtherHosts } from './OtherHosts';
import { Outcome } from './Outcome';

interface Props {
  id: string;
  hasText: boolean;
  onBack: (from: ServerImport, line?: number) => void;
  onNewImport: () => void;
  /** Returns the request with the text; null: the text is not available. */
  order: (() => ImportServersRequest) | null;
  onPreview: (preview: ServerImport) => void;
}

export function ImportView({ id, hasText, onBack, onNewImport, order, onPreview }: Props) {
  const { data: found, error, refetch } = useQuery(importQuery(id));
  const environments = useQuery(environmentChoicesQuery);
  const nameOf = (environmentId: string) =>
    environments.data?.items.find((one) => one.id === environmentId)?.name ?? '…';
  const failure = Boolean(error) && <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!found)
    return failure ? (
      <>
        <PageHeader title="Server import" />
        {failure}
      </>
    ) : (
      <PageSkeleton />
    );
  return (
    <>
      <ImportHeader
        found={found}
        environmentName={nameOf(found.environmentId)}
        hasText={hasText}
        onBack={() => onBack(found)}
        onNewImport={onNewImport}
      />
      <Stack gap="md">
        {failure}
        <Outcome
          found={found}
          environmentName={nameOf(found.environmentId)}
          onSelectLine={hasText ? (line) => onBack(found, line) : undefined}
        />
        <OtherHosts found={found} order={order} onPreview={onPreview} />
        <NotCarriedList found={found} />
        {isEnded(found) && found.counts && (
          <Entries id={id} title={entriesTitle(found)} counts={found.counts} environmentName={nameOf} />
        )}
      </Stack>
    </>
  );
}
