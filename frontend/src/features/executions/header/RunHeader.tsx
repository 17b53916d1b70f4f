import { Alert, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBan } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import type { StreamState } from '../../../api/event-stream';
import type { Execution, ExecutionHost } from '../../../api/types';
import { CopyButton } from '../../../ui/copy/CopyButton';
import { plural } from '../../../ui/format/format';
import { AnchorLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { Elapsed, RelativeTime } from '../../../ui/format/RelativeTime';
import { RunLabels } from '../../../ui/runs/RunLabels';
import { StartedBy } from '../../../ui/runs/RunsTable';
import { AwaitsYou } from '../../../ui/status/AwaitsYou';
import { StatusBadge } from '../../../ui/status/StatusBadge';
import { isHeld, statusStyle, runStatusLabel } from '../../../ui/status/statuses';
import { CancelDialog } from './CancelDialog';
import { Fact } from '../../../ui/page/Fact';
import { HeldRun } from './HeldRun';
import { MoreMenu, PinnedBadge } from './MoreMenu';
import { LegalHold } from './LegalHold';
import { RerunMenu } from '../rerun/RerunMenu';
import { QueuedRun } from './QueuedRun';
import { ResultsMenu } from './ResultsMenu';
import { FirstFailure } from './FirstFailure';
import { RunNote } from './RunNote';
import { MODE_MEANINGS, MODE_NAMES } from '../../../ui/runs/modes';
import { SteerMenu } from './SteerMenu';
import { StreamNote } from './StreamNote';
import { useMissingGrant } from '../run/useMissingGrant';

interface Props {
  run: Execution;
  hosts: readonly ExecutionHost[];
  stream: StreamState;
}

export function RunHeader({ run, hosts, stream }: Props) {
  const [cancelling, { open, close }] = useDisclosure();
  const grant = useMissingGrant(run);
  const isCancelling = run.status === 'CANCELLING';
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
        actions={
          <>
            {!run.finished && (
              <Can role="operator" unless={grant}>
                <Button
                  variant="default"
                  leftSection={<IconBan size={15} aria-hidden />}
                  onClick={open}
                  loading={isCancelling}
                >
                  Cancel
                </Button>
              </Can>
            )}
            <ResultsMenu run={run} />
            {!run.finished && <SteerMenu run={run} />}
            {run.finished && <RerunMenu run={run} hosts={hosts} />}
            <MoreMenu run={run} />
          </>
        }
      />
      <Group gap="8px 28px" mb="md" align="flex-start">
        <Fact label="Environment">{run.environmentName}</Fact>
        <Fact label="Plan">
          <AnchorLink
            to="/plans/$id"
            params={{ id: run.planId }}
            search={{ tab: 'revisions', revision: run.planRevision }}
          >
            Revision {run.planRevision}
          </AnchorLink>
        </Fact>
        <Fact label="Hosts">
          {plural(run.hostCount, 'host')}
          {run.targets && <Text span c="dimmed" className="rw-mono">{` ${run.targets}`}</Text>}
        </Fact>
        <Fact label="Mode">
          <span title={MODE_MEANINGS[run.execution_mode]}>{MODE_NAMES[run.execution_mode]}</span>
        </Fact>
        <Fact label="Started by">
          <StartedBy run={run} />
        </Fact>
        <Fact label={run.startedAt === null ? 'Requested' : 'Started'}>
          <RelativeTime at={run.createdAt} />
        </Fact>
        {run.startAt && (
          <Fact label="Scheduled for">
            <RelativeTime at={run.startAt} />
          </Fact>
        )}
        <Fact label={run.finished ? 'Duration' : 'Elapsed'}>
          {run.status === 'PAUSED' ? 'waiting for a decision' : <Elapsed from={run.startedAt} to={run.finishedAt} />}
        </Fact>
        <Fact label="Run ID">
          <Group gap={2} wrap="nowrap" h={22}>
            <span className="rw-mono">{run.id.slice(-8)}</span>
            <CopyButton value={run.id} what="run ID" />
          </Group>
        </Fact>
        {Object.keys(run.labels).length > 0 && (
          <Fact label="Labels">
            <RunLabels labels={run.labels} />
          </Fact>
        )}
      </Group>
      {run.pauseRequestedBy && !run.finished && (
        <Alert color="yellow" mb="md" py={8} role="status">
          {run.pauseRequestedBy} requested a pause. The run pauses after the current step.
        </Alert>
      )}
      {run.pin?.legalHold && <LegalHold run={run} pin={run.pin} />}
      {isHeld(run) && <HeldRun run={run} />}
      {run.queue && <QueuedRun queue={run.queue} />}
      {run.freezeOverride !== null && (
        <Text c="dimmed" mb="md" className="rw-wrap-anywhere">
          Started despite a freeze: {run.freezeOverride}
        </Text>
      )}
      {run.windowOverride !== null && (
        <Text c="dimmed" mb="md" className="rw-wrap-anywhere">
          Started outside the run windows: {run.windowOverride}
        </Text>
      )}
      {run.statusReason && run.status !== 'PAUSED' && !isHeld(run) && (
        <Alert color={statusStyle(run.status).tone === 'bad' ? 'red' : 'gray'} mb="md" py={8}>
          {run.statusReason.text}
          {run.statusReason.code === 'hosts_lost' && run.unknownHosts.length === 0 && ' All of them are resolved.'}
        </Alert>
      )}
      {run.summary.firstFailure && run.status !== 'PAUSED' && run.execution_mode !== 'dry_run' && (
        <FirstFailure run={run} failure={run.summary.firstFailure} />
      )}
      {run.note && <RunNote note={run.note} />}
      <CancelDialog run={run} opened={cancelling && !run.finished} onClose={close} />
    </>
  );
}
