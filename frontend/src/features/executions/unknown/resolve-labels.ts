import type { CheckFinding, ResolutionKind, ResolveAction } from '../../../api/types';

export const RESOLVE_ACTIONS: Record<ResolveAction, { label: string; sentence: string }> = {
  check: { label: 'Check again', sentence: 'Asks the host once more what became of the command.' },
  mark_succeeded: {
    label: 'Mark succeeded',
    sentence: 'You looked, and the command did its work. The host is free for other runs again.',
  },
  mark_failed: {
    label: 'Mark failed',
    sentence: 'You looked, and the command did not do its work. The host is free for other runs again.',
  },
  skip: {
    label: 'Skip',
    sentence: 'Nobody will find out, and it does not matter. The host is free for other runs again.',
  },
  run_again: {
    label: 'Run again',
    sentence:
      'Starts a new run on this host from this step. Make sure first that the command does not run there any more.',
  },
};

/** The findings of another check of the host. */
export const FINDING_LABELS: Record<CheckFinding, string> = {
  succeeded: 'Found to have succeeded',
  failed: 'Found to have failed',
  still_running: 'Still running',
  never_started: 'Never started',
  rebooted: 'Host restarted meanwhile',
  journal_gone: 'The host can’t tell',
  not_reached: 'Host not reached',
  check_failed: 'Could not be checked',
};

/** Actions that resolve an unknown result, in the order of their buttons. */
export const SETTLING_ACTIONS: readonly ResolveAction[] = ['mark_succeeded', 'mark_failed', 'skip', 'run_again'];

/** How an unknown result was resolved. */
export const RESOLUTION_LABELS: Record<ResolutionKind, string> = {
  found_succeeded: 'found to have succeeded',
  found_failed: 'found to have failed',
  marked_succeeded: 'marked as succeeded',
  marked_failed: 'marked as failed',
  skipped: 'skipped',
  run_again: 'run again',
};
