import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { executionQuery } from '../../../api/queries/runs/executions';
import type { Execution } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { ButtonLink } from '../../../ui/page/links';
import { UnknownHosts } from '../unknown/UnknownHosts';
import { ThumbBarDialog } from '../run/ThumbBar';
import { useAllHosts } from '../run/useAllHosts';
import { useRunStream } from '../run/useRunStream';
import { PausePanel } from './PausePanel';

const REFRESH_MS = 5_000;

interface Props {
  runId: string;
  onClose: () => void;
}

/** Evidence and actions of a run that waits for a person, over another page. Closes when the run no longer waits. */
export function RunDecisionDialog({ runId, onClose }: Props) {
  const run = useQuery({ ...executionQuery(runId), refetchInterval: REFRESH_MS });
  const [hasWaited, setHasWaited] = useState(false);
  const waits = run.data?.awaitsYou;
  if (waits && !hasWaited) setHasWaited(true);
  useEffect(() => {
    if (hasWaited && waits === false) onClose();
  }, [hasWaited, waits, onClose]);
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={run.data ? `${run.data.planName} in ${run.data.environmentName}` : 'Waiting run'}
    >
      {run.data ? (
        <ThumbBarDialog>
          <Waiting run={run.data} />
        </ThumbBarDialog>
      ) : run.error ? (
        <ErrorPanel error={run.error} onRetry={() => void run.refetch()} />
      ) : (
        <RowsSkeleton rows={6} />
      )}
    </Modal>
  );
}

function Waiting({ run }: { run: Execution }) {
  const stream = useRunStream(run);
  const hosts = useAllHosts(run);
  return (
    <>
      <PausePanel run={run} hosts={hosts} cells={stream.cells} />
      <UnknownHosts run={run} />
      <ButtonLink to="/executions/$id" params={{ id: run.id }} variant="default">
        Open run
      </ButtonLink>
    </>
  );
}
