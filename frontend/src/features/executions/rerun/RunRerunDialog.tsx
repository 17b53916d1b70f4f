import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { executionQuery } from '../../../api/queries/runs/executions';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { RerunDialog } from './RerunDialog';

interface Props {
  runId: string;
  onClose: () => void;
}

/** Reruns the unfinished steps of a run that only its ID is known of. */
export function RunRerunDialog({ runId, onClose }: Props) {
  const run = useQuery(executionQuery(runId));
  if (run.data) return <RerunDialog run={run.data} which="unfinished" onClose={onClose} />;
  return (
    <Modal opened onClose={onClose} title="Rerun">
      {run.error ? <ErrorPanel error={run.error} onRetry={() => void run.refetch()} /> : <RowsSkeleton rows={4} />}
    </Modal>
  );
}
