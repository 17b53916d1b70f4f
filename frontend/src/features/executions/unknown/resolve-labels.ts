import type { ResolutionKind, ResolveAction } from '../../../api/types';

export const RESOLVE_ACTIONS: Record<ResolveAction, { label: string; sentence: string }> = {
  check: { label: 'Read result again', sentence: 'Reads the result from the journal on the host.' },
  mark_succeeded: {
    label: 'Mark succeeded',
    sentence: 'You verified that the command succeeded. Releases the host for other runs.',
  },
  mark_failed: {
    label: 'Mark failed',
    sentence: 'You verified that the command failed. Releases the host for other runs.',
  },
  skip: {
    label: 'Skip',
    sentence: 'The result does not matter. Releases the host for other runs.',
  },
  run_again: {
    label: 'Rerun',
    sentence: 'Starts a new run on this host from this step. First make sure that the command no longer runs there.',
  },
};

/** Answers of a host about the result of its command, by code. */
export const FINDING_LABELS: Partial<Record<string, string>> = {
  command_succeeded: 'Succeeded',
  command_failed: 'Failed',
  still_running: 'Still running',
  never_started: 'Never started',
  host_rebooted: 'Host has restarted',
  journal_gone: 'No record on the host',
  unreachable: 'Host unreachable',
  internal_error: 'Result could not be read',
};

export const SETTLING_ACTIONS: readonly ResolveAction[] = ['mark_succeeded', 'mark_failed', 'skip', 'run_again'];

export const RESOLUTION_LABELS: Record<ResolutionKind, string> = {
  found_succeeded: 'verified as succeeded',
  found_failed: 'verified as failed',
  marked_succeeded: 'marked as succeeded',
  marked_failed: 'marked as failed',
  skipped: 'skipped',
  run_again: 'rerun',
};
