import type { WebhookEvent } from '../../api/types';

export interface EventWords {
  type: WebhookEvent;
  words: string;
}

export interface EventGroup {
  title: string;
  hint?: string;
  events: EventWords[];
}

/** Events by group, the most common first. */
export const EVENT_GROUPS: readonly EventGroup[] = [
  {
    title: 'Runs',
    events: [
      { type: 'execution.finished', words: 'Run ended' },
      { type: 'execution.status_changed', words: 'Run changed its status' },
    ],
  },
  {
    title: 'Approvals and decisions',
    events: [
      { type: 'approval.requested', words: 'Run waits for approval' },
      { type: 'approval.decided', words: 'Run approved or rejected' },
      { type: 'decision.requested', words: 'Run waits for a decision' },
      { type: 'decision.made', words: 'Decision made' },
    ],
  },
  {
    title: 'Steps',
    events: [
      { type: 'step.started', words: 'Step started' },
      { type: 'step.finished', words: 'Step ended' },
    ],
  },
  {
    title: 'Hosts',
    hint: 'One message per host and step. Large runs send many.',
    events: [
      { type: 'host.started', words: 'Step started on a host' },
      { type: 'host.finished', words: 'Step ended on a host' },
      { type: 'host.retrying', words: 'Step is retried on a host' },
      { type: 'host.reconnecting', words: 'Reconnecting to a host' },
      { type: 'host.resolved', words: 'Unknown result resolved' },
    ],
  },
  {
    title: 'Runward',
    events: [
      { type: 'schedule.failed', words: 'Schedule started no run' },
      { type: 'webhook.disabled', words: 'Webhook disabled by Runward' },
      { type: 'environment.protection', words: 'Protection of an environment weakened' },
    ],
  },
];

const WORDS = new Map<string, string>(
  EVENT_GROUPS.flatMap(({ events }) => events.map(({ type, words }) => [type, words] as const)),
);

/** Returns the label of an event type, or the type if it has no label. */
export const eventWords = (type: string): string =>
  type === 'webhook.test' ? 'Test message' : (WORDS.get(type) ?? type);

/** Selects all events of a group, or none if all are already selected. */
export function toggledGroup(chosen: readonly WebhookEvent[], group: readonly EventWords[]): WebhookEvent[] {
  const types = group.map(({ type }) => type);
  const all = types.every((type) => chosen.includes(type));
  return all ? chosen.filter((type) => !types.includes(type)) : [...new Set([...chosen, ...types])];
}

export function eventsSummary(events: readonly string[]): string {
  const [first, ...others] = events;
  if (first === undefined) return 'None';
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
