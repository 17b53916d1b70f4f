import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { executionQuery } from '../../api/queries/executions';
import type { Execution } from '../../api/types';
import { ErrorPanel } from '../../ui/ErrorPanel';
import { PageHeader } from '../../ui/PageHeader';
import { PageSkeleton } from '../../ui/Skeletons';
import { DryRunPanel } from './dry-run/DryRunPanel';
import { MatrixPanel } from './matrix/MatrixPanel';
import { OutputPanel } from './output/OutputPanel';
import { ApprovalFacts } from './pause/ApprovalFacts';
import { PausePanel } from './pause/PausePanel';
import { RunFamily } from './run/RunFamily';
import { RunHeader } from './run/RunHeader';
import { RunVariables } from './run/RunVariables';
import { UnknownHosts } from './run/UnknownHosts';
import { useAllHosts } from './run/useAllHosts';
import { useRunStream } from './run/useRunStream';

const LOOK_AGAIN_MS = 3_000;
const route = getRouteApi('/app/executions/$id');

export function ExecutionPage() {
  const { id } = route.useParams();
  const run = useQuery({
    ...executionQuery(id),
    // A host that is asked once more answers after the stream of a finished run is over.
    refetchInterval: ({ state }) =>
      state.data?.finished && state.data.unknownHosts.length > 0 ? LOOK_AGAIN_MS : false,
  });
  if (run.data) return <RunView key={id} run={run.data} />;
  if (!run.error) return <PageSkeleton />;
  return (
    <>
      <PageHeader title="Run" />
      <ErrorPanel error={run.error} onRetry={() => void run.refetch()} />
    </>
  );
}

function RunView({ run }: { run: Execution }) {
  const { host } = route.useSearch();
  const stream = useRunStream(run);
  const hosts = useAllHosts(run);
  const chosen = hosts.find(({ name, serverId }) => name === host || serverId === host);
  const serverId = host === undefined ? undefined : (chosen?.serverId ?? host);
  return (
    <>
      <RunHeader run={run} stream={stream.state} />
      <RunFamily run={run} />
      <PausePanel run={run} hosts={hosts} cells={stream.cells} />
      {run.approval && run.approval.decisions.length > 0 && run.pause?.reason !== 'APPROVAL' && (
        <Box mb="md">
          <ApprovalFacts approval={run.approval} />
        </Box>
      )}
      <UnknownHosts run={run} />
      {run.execution_mode === 'dry_run' && <DryRunPanel run={run} />}
      <RunVariables variables={run.variables} />
      <MatrixPanel run={run} hosts={hosts} cells={stream.cells} loading={stream.loading} />
      <OutputPanel run={run} serverId={serverId} bell={stream.outputBell} live={stream.state !== 'closed'} />
    </>
  );
}
