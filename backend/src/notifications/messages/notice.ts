import type { NotificationEvent } from './notification-events.js';

/** What every message about a run tells of it. */
export interface RunFacts {
  planName: string;
  environmentName: string;
  startedBy: string;
  startedAt: Date;
  /** Where people look at it. */
  url: string;
  note: string | null;
}

/** The first thing that went wrong on a host. */
export interface FailureFacts {
  hostName: string;
  stepName: string;
  /** In words: `exit code 1`, `not reached`. */
  what: string;
  message: string | null;
  /** The end of what the command wrote there, masked as it is stored. */
  lastLines: readonly string[];
  /** Hosts on which something went wrong, this one included. */
  hosts: number;
}

/** What is told, before it is put in words. */
export type Notice =
  | {
      event: 'approval_requested';
      run: RunFacts;
      required: number;
      given: number;
      until: Date;
      /** Why it waits again; null: it waits for the first time. */
      reason: string | null;
      /** Who may approve it, by name. */
      approvers: readonly string[];
      moreApprovers: number;
    }
  | {
      event: 'decision_requested';
      run: RunFacts;
      /** In words. */
      why: string;
      stepName: string | null;
      text: string | null;
      until: Date;
      failure: FailureFacts | null;
    }
  | {
      event: 'failed' | 'partially_succeeded';
      run: RunFacts;
      /** In words: `failed`, `ran out of time`. */
      how: string;
      reason: string | null;
      failure: FailureFacts | null;
    }
  | { event: 'recovered'; run: RunFacts; failedBefore: Date | null }
  | { event: 'unknown_results'; run: RunFacts; hosts: readonly string[]; moreHosts: number }
  | { event: 'rejected_or_expired'; run: RunFacts; how: string; reason: string | null }
  | {
      event: 'schedule_failed';
      scheduleName: string;
      planName: string;
      environmentName: string;
      /** With whose rights it runs. */
      ownerName: string;
      /** The time at which it should have started a run. */
      at: Date;
      reason: string;
      /** Whether the service has paused it for that. */
      paused: boolean;
      url: string;
    }
  | {
      event: 'schedules_missed';
      /** How many schedules. */
      count: number;
      /** Some of them. */
      names: readonly string[];
      environmentNames: readonly string[];
      /** The earliest and the latest of the times. */
      earliest: Date;
      latest: Date;
      url: string;
    }
  | {
      event: 'servers_left';
      what: 'servers_left' | 'server_released' | 'server_release_overridden' | 'server_kept';
      /** Who did it. */
      by: string;
      environmentName: string;
      count: number;
      /** Some of them. */
      names: readonly string[];
      /** Until then the environment protects their hosts; null: until a second person releases them. */
      countsUntil: Date | null;
      url: string;
    }
  | {
      event: 'protection_changed';
      what: 'requested' | 'agreed' | 'rejected' | 'overridden';
      /** Who did it. */
      by: string;
      requestedBy: string;
      environmentName: string;
      reason: string;
      /** Settings with old and new values. */
      weakened: readonly string[];
      /** From then on it takes nobody else; null: it takes a second person. */
      effectiveAt: Date | null;
      url: string;
    }
  | { event: 'webhook_disabled'; webhookName: string; ownerName: string; reason: string; url: string }
  | { event: 'summary'; ruleName: string; counts: readonly [NotificationEvent, number][]; url: string }
  | { event: 'test'; ruleName: string; sentBy: string; url: string };
