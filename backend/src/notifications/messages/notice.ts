import type { NotificationEvent } from './notification-events.js';

export interface RunFacts {
  planName: string;
  environmentName: string;
  startedBy: string;
  startedAt: Date;
  url: string;
  note: string | null;
}

export interface FailureFacts {
  hostName: string;
  stepName: string;
  /** In words: `exit code 1`, `not reached`. */
  what: string;
  message: string | null;
  /** Last lines of the command's output, already masked. */
  lastLines: readonly string[];
  hosts: number;
}

export type Notice =
  | {
      event: 'approval.requested';
      run: RunFacts;
      required: number;
      given: number;
      until: Date;
      /** Reason for another approval request; null: it is the first request. */
      reason: string | null;
      approvers: readonly string[];
      moreApprovers: number;
    }
  | {
      event: 'decision.requested';
      run: RunFacts;
      why: string;
      stepName: string | null;
      text: string | null;
      until: Date;
      failure: FailureFacts | null;
    }
  | {
      event: 'execution.failed' | 'execution.partially_succeeded';
      run: RunFacts;
      how: string;
      reason: string | null;
      failure: FailureFacts | null;
    }
  | { event: 'execution.recovered'; run: RunFacts; failedBefore: Date | null }
  | { event: 'execution.results_unknown'; run: RunFacts; hosts: readonly string[]; moreHosts: number }
  | { event: 'execution.rejected_or_expired'; run: RunFacts; how: string; reason: string | null }
  | {
      event: 'schedule.failed';
      scheduleName: string;
      planName: string;
      environmentName: string;
      ownerName: string;
      at: Date;
      reason: string;
      paused: boolean;
      url: string;
    }
  | {
      event: 'schedules_missed';
      count: number;
      names: readonly string[];
      environmentNames: readonly string[];
      earliest: Date;
      latest: Date;
      url: string;
    }
  | {
      event: 'servers_left';
      what: 'servers_left' | 'server_released' | 'server_release_overridden' | 'server_kept';
      by: string;
      environmentName: string;
      count: number;
      names: readonly string[];
      /** Time until which the hosts stay protected; null: until a second person releases them. */
      countsUntil: Date | null;
      url: string;
    }
  | {
      event: 'environment.protection_changed';
      what: 'requested' | 'agreed' | 'rejected' | 'overridden';
      by: string;
      requestedBy: string;
      environmentName: string;
      reason: string;
      weakened: readonly string[];
      /** Time from which no second person is needed; null: a second person is always needed. */
      effectiveAt: Date | null;
      url: string;
    }
  | { event: 'webhook.disabled'; webhookName: string; ownerName: string; reason: string; url: string }
  | { event: 'summary'; ruleName: string; counts: readonly [NotificationEvent, number][]; url: string }
  | { event: 'test'; ruleName: string; sentBy: string; url: string };
