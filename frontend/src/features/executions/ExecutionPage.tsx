import { Box } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type CSSProperties, useEffect, useState } from 'react';
import { toProblem } from '../../api/errors';
import { executionQuery } from '../../api/queries/runs/executions';
import type { Execution } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { DryRunPanel } from './dry-run/DryRunPanel';
import { gridPx } from './matrix/Matrix';
import { MatrixPanel } from './matrix/MatrixPanel';
import { OutputPanel } from './output/OutputPanel';
import { ApprovalFacts } from './pause/ApprovalFacts';
import { OverrideNotice } from '../../ui/environments/OverrideNotice';
import { PausePanel } from './pause/PausePanel';
import { RepeatedRuns } from './rerun/RepeatedRuns';
import { useReruns } from './rerun/useReruns';
import { RunHeader } from './header/RunHeader';
import { RunVariables } from './header/RunVariables';
import { UnknownHosts } from './unknown/UnknownHosts';
import { cellAt } from './run/run-cells.reducer';
import { useAllHosts } from './run/useAllHosts';
import { useFailureCauses } from './run/useFailureCauses';
import { useRunStream } from './run/useRunStream';
import classes from './run-page.module.css';
import { PageSkeleton } from '../../ui/feedback/Skeletons';
import { UnloadedPage } from '../../ui/page/UnloadedPage';

/** Refetch intervals in ms: for a finished run with unknown results, for a run in the queue, and for others. */
const HOST_CHECK_REFRESH_MS = 3_000;
const IDLE_REFRESH_MS = 15_000;
const QUEUE_REFRESH_MS = 5_000;
const route = getRouteApi('/app/executions/$id');

export function ExecutionPage() {
  const { id } = route.useParams();
  const client = useQueryClient();
  const run = useQuery({
    ...executionQuery(id),
    refetchInterval: ({ state }) => (state.data ? refreshInterval(state.data) : false),
  });
  // After the user has lost access, neither the page nor the cache may keep the run.
  const gone = run.data !== undefined && run.error !== null && toProblem(run.error).status === 404;
  useEffect(() => {
    if (gone) void client.resetQueries({ queryKey: executionQuery(id).queryKey });
  }, [client, gone, id]);
  if (run.data && !gone) return <RunView key={id} run={run.data} />;
  return <UnloadedPage title="Run" query={run} />;
}

function refreshInterval({ finished, unknownHosts, forecast, queue }: Execution): number | false {
  // Changes of other runs in the queue send no event for this run.
  if (queue?.waitsFor === 'overlap') return QUEUE_REFRESH_MS;

  // The result of another host check comes after the stream of a finished run has ended.
  if (finished && unknownHosts.length > 0) return HOST_CHECK_REFRESH_MS;
  // The stream carries neither changes of grants and policies, nor those of a dry run's forecast. A lost response must
  // not leave the page stale either.
  return !finished || forecast !== null ? IDLE_REFRESH_MS : false;
}

function RunView({ run }: { run: Execution }) {
  const { host, step } = route.useSearch();
  const stream = useRunStream(run);
  const hosts = useAllHosts(run);
  const chosen = hosts.find(({ name, serverId }) => name === host || serverId === host);
  const serverId = host === undefined ? undefined : (chosen?.serverId ?? host);
  const causes = useFailureCauses(run);
  const reruns = useReruns(run);
  // Causes and reruns are above the results, which would move when they arrive. Later changes never hide the page.
  const [isReady, setIsReady] = useState(!run.finished);
  if (!isReady && !causes.isLoading && !reruns.isLoading) setIsReady(true);
  if (!isReady) return <PageSkeleton />;
  return (
    <div className={classes.page}>
      <RunHeader run={run} hosts={hosts} stream={stream.state} />
      <RepeatedRuns run={run} />
      <OverrideNotice override={run.protectionOverride} />
      <PausePanel run={run} hosts={hosts} cells={stream.cells} />
      {run.approval && run.approval.decisions.length > 0 && run.pause?.reason !== 'APPROVAL' && (
        <Box mb="md">
          <ApprovalFacts approval={run.approval} />
        </Box>
      )}
      <UnknownHosts run={run} />
      {run.execution_mode === 'dry_run' && <DryRunPanel run={run} />}
      {stream.error !== null && (
        <ErrorPanel error={stream.error} onRetry={stream.retry} title="Some results could not be loaded" />
      )}
      {run.pause?.reason !== 'APPROVAL' && <RunVariables run={run} />}
      <div className={classes.columns} style={{ '--grid-px': `${gridPx(run.steps.length)}px` } as CSSProperties}>
        <MatrixPanel run={run} hosts={hosts} cells={stream.cells} loading={stream.loading} />
        <OutputPanel
          run={run}
          serverId={serverId}
          cell={serverId && step ? cellAt(stream.cells, serverId, step) : undefined}
          outputVersion={stream.outputVersion}
          live={stream.state !== 'closed'}
        />
      </div>
    </div>
  );
}
