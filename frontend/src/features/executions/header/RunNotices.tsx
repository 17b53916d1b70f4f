import { Alert, Text } from '@mantine/core';
import type { Execution } from '../../../api/types';
import { isHeld, statusStyle } from '../../../ui/status/statuses';
import { FailureCauses } from './FailureCauses';
import { HeldRun } from './HeldRun';
import { LegalHold } from './LegalHold';
import { QueuedRun } from './QueuedRun';
import { RunNote } from './RunNote';

/** Reasons that say no more than the causes of the failures, which are shown too. */
const CODES_SHOWN_AS_CAUSES = new Set(['hosts_failed', 'some_hosts_failed']);

/** Requests, holds, overrides, failures and the note of a run. */
export function RunNotices({ run }: { run: Execution }) {
  const failure = run.status === 'PAUSED' || run.execution_mode === 'dry_run' ? null : run.summary.firstFailure;
  const reason = run.status === 'PAUSED' || isHeld(run) ? null : run.statusReason;
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
      {reason && !(failure && CODES_SHOWN_AS_CAUSES.has(reason.code)) && (
        <Alert color={statusStyle(run.status).tone === 'bad' ? 'red' : 'gray'} mb="md" py={8}>
          {reason.text}
          {reason.code === 'hosts_lost' && run.unknownHosts.length === 0 && ' All of them are resolved.'}
        </Alert>
      )}
      {failure && <FailureCauses run={run} failure={failure} />}
      {run.note && <RunNote run={run} />}
    </>
  );
}
