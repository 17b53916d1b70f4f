import { Alert, Text } from '@mantine/core';
import type { Execution } from '../../../api/types';
import { isHeld, statusStyle } from '../../../ui/status/statuses';
import { FirstFailure } from './FirstFailure';
import { HeldRun } from './HeldRun';
import { LegalHold } from './LegalHold';
import { QueuedRun } from './QueuedRun';
import { RunNote } from './RunNote';

/** Requests, holds, overrides, failures and the note of a run. */
export function RunNotices({ run }: { run: Execution }) {
  return (
    <>
      {run.pauseRequestedBy && !run.finished && (
        <Alert color="yellow" mb="md" py={8} role="status">
          {run.pauseRequestedBy.name} requested a pause. The run pauses after the current step.
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
    </>
  );
}
