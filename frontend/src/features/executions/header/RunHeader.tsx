import { useDisclosure } from '@mantine/hooks';
import { IconBan } from '@tabler/icons-react';
import { toProblem } from '../../../api/errors';
import type { StreamState } from '../../../api/event-stream';
import { type ExportForm, fetchExport } from '../../../api/queries/runs/run-exports';
import type { Execution, ExecutionHost } from '../../../api/types';
import { ExportMenu } from '../../../ui/copy/ExportMenu';
import { AnchorLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { AwaitsYou } from '../../../ui/status/AwaitsYou';
import { StatusBadge } from '../../../ui/status/StatusBadge';
import { runStatusLabel } from '../../../ui/status/statuses';
import { CancelDialog } from './CancelDialog';
import { MoreMenu, PinnedBadge } from './MoreMenu';
import { RerunMenu } from '../rerun/RerunMenu';
import { RunFacts } from './RunFacts';
import { RunNotices } from './RunNotices';
import { SteerMenu } from './SteerMenu';
import { StreamNote } from './StreamNote';
import { useMissingGrant } from '../run/useMissingGrant';
import { ActionButton } from '../../../ui/page/ActionButton';

const EXPORTS: { format: ExportForm; label: string; file: string }[] = [
  { format: 'junit', label: 'Results as JUnit (XML)', file: 'results.xml' },
  { format: 'results', label: 'Results as NDJSON', file: 'results.ndjson' },
  { format: 'output', label: 'Output as NDJSON', file: 'output.ndjson' },
];

interface Props {
  run: Execution;
  hosts: readonly ExecutionHost[];
  stream: StreamState;
}

export function RunHeader({ run, hosts, stream }: Props) {
  return (
    <>
      <PageHeader
        title={run.planName}
        above={
          <AnchorLink to="/executions" size="xs">
            Runs
          </AnchorLink>
        }
        badge={
          <>
            <StatusBadge status={run.status} label={runStatusLabel(run)} testId="run-status" />
            {run.awaitsYou && <AwaitsYou />}
            {run.pin && !run.pin.legalHold && <PinnedBadge pin={run.pin} />}
            <StreamNote state={stream} />
          </>
        }
        actions={<RunActions run={run} hosts={hosts} />}
      />
      <RunFacts run={run} />
      <RunNotices run={run} />
    </>
  );
}

function RunActions({ run, hosts }: Omit<Props, 'stream'>) {
  const [cancelling, { open, close }] = useDisclosure();
  const grant = useMissingGrant(run);
  return (
    <>
      {!run.finished && (
        <ActionButton
          role="operator"
          unless={grant}
          icon={IconBan}
          onClick={open}
          loading={run.status === 'CANCELLING'}
        >
          Cancel
        </ActionButton>
      )}
      <ExportMenu
        formats={EXPORTS.map((each) => ({ ...each, file: `${run.planName} ${run.id.slice(-8)} ${each.file}` }))}
        download={(form) => fetchExport(run.id, form)}
        describeError={(error) => ({ title: toProblem(error).title, message: toProblem(error).message })}
        width={240}
      />
      {!run.finished && <SteerMenu run={run} />}
      {run.finished && <RerunMenu run={run} hosts={hosts} />}
      <MoreMenu run={run} />
      <CancelDialog run={run} opened={cancelling && !run.finished} onClose={close} />
    </>
  );
}
