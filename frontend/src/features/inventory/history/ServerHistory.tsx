import { Paper, SimpleGrid, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { serverHistoryQuery } from '../../../api/queries/runs/overview';
import type { Server } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { RanHereLast } from './RanHereLast';
import { ServerChanges } from './ServerChanges';
import { StateStrip } from './StateStrip';

const REFRESH_MS = 15_000;

/** State and runs over time, what ran here last, and changes of facts. */
export function ServerHistory({ server }: { server: Server }) {
  const { data, error, refetch } = useQuery({ ...serverHistoryQuery(server.id), refetchInterval: REFRESH_MS });
  if (!data) return error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <RowsSkeleton rows={6} />;
  return (
    <>
      <Part title="Last 30 days">
        <StateStrip server={server} history={data} />
      </Part>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Part title="What ran here last">
          <RanHereLast history={data} />
        </Part>
        <Part title="Changes of state and facts">
          <ServerChanges changes={data.changes} />
        </Part>
      </SimpleGrid>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper component="section" aria-label={title} p="md">
      <Stack gap="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  );
}
