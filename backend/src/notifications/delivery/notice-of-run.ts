import { runPageUrl } from '../../common/http/web-pages.js';
import type { RunFailure, RunNotice } from '../../executions/notices/run-notice.js';
import type { FailureFacts, Notice, RunFacts } from '../messages/notice.js';
import type { NotificationEvent } from '../messages/notification-events.js';

export interface RunNoticeContext {
  failedBefore: Date | null;
  unknownHosts: { names: readonly string[]; more: number };
}

const PAUSE_WORDS: Readonly<Record<string, string>> = {
  STEP_CONFIRM: 'waits for confirmation of a step',
  FAILURE_DECISION: 'waits for a decision after a failure',
  GATE: 'waits at a gate',
  REQUESTED: 'was asked to pause',
};
const END_EVENTS: Readonly<Record<string, string>> = {
  FAILED: 'failed',
  TIMED_OUT: 'timed out',
  INTERRUPTED: 'was interrupted: the result of some hosts is unknown',
  PARTIALLY_SUCCEEDED: 'has ended, and some hosts failed within its limits',
  REJECTED: 'was rejected',
  EXPIRED: 'expired without a decision',
};
const HOST_WORDS: Readonly<Record<string, string>> = {
  UNREACHABLE: 'not reached',
  HOST_KEY_UNKNOWN: 'host key not accepted yet',
  HOST_KEY_CHANGED: 'host key changed',
  TIMED_OUT: 'timed out',
  UNKNOWN: 'result unknown',
};

export type RunEvent = Exclude<
  NotificationEvent,
  'schedule.failed' | 'webhook.disabled' | 'environment.protection_changed'
>;

/**
 * Returns the notice about the current state of the run; a string gives the reason why the event is no longer relevant.
 */
export function createRunNotice(
  event: RunEvent,
  run: RunNotice,
  more: RunNoticeContext,
  publicUrl: string,
): Notice | string {
  const facts = toRunFacts(run, publicUrl);
  const how = END_EVENTS[run.status] ?? `is ${run.status.toLowerCase()}`;
  switch (event) {
    case 'approval.requested': {
      const { approval } = run;
      if (!approval) return 'The decision was made before the message was sent.';
      const { required, given, until, reason, approvers, moreApprovers } = approval;
      return { event, run: facts, required, given, until, reason, approvers, moreApprovers };
    }
    case 'decision.requested': {
      const { pause } = run;
      if (!pause || pause.reason === 'APPROVAL') return 'The decision was made before the message was sent.';
      const failure = pause.reason === 'FAILURE_DECISION' ? toFailureFacts(run.firstFailure) : null;
      const why = PAUSE_WORDS[pause.reason] ?? 'waits for a person';
      return { event, run: facts, why, stepName: pause.stepName, text: pause.text, until: pause.until, failure };
    }
    case 'execution.failed':
    case 'execution.partially_succeeded':
      return { event, run: facts, how, reason: run.reason, failure: toFailureFacts(run.firstFailure) };
    case 'execution.recovered':
      return { event, run: facts, failedBefore: more.failedBefore };
    case 'execution.results_unknown':
      if (more.unknownHosts.names.length === 0) return 'The results were resolved before the message was sent.';
      return { event, run: facts, hosts: more.unknownHosts.names, moreHosts: more.unknownHosts.more };
    case 'execution.rejected_or_expired':
      return { event, run: facts, how, reason: run.status === 'REJECTED' ? run.reason : null };
  }
}

const toRunFacts = (run: RunNotice, publicUrl: string): RunFacts => ({
  planName: run.planName,
  environmentName: run.environmentName,
  startedBy: run.startedByName,
  startedAt: run.createdAt,
  url: runPageUrl(publicUrl, run.executionId),
  note: run.note,
});

function toFailureFacts(failure: RunFailure | null): FailureFacts | null {
  if (!failure) return null;
  const { hostName, stepName, status, exitCode, message, lastLines, hosts } = failure;
  const what = exitCode === null ? (HOST_WORDS[status] ?? 'failed') : `exit code ${exitCode}`;
  return { hostName, stepName, what, message, lastLines, hosts };
}
