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

const GROUPS = {
  runs: { title: 'Runs' },
  approvals: { title: 'Approvals and decisions' },
  steps: { title: 'Steps' },
  hosts: { title: 'Hosts', hint: 'One message per host and step. Large runs send many.' },
  runward: { title: 'Runward' },
};

/** In display order, the most common first. */
const LABELS: Record<WebhookEvent, [group: keyof typeof GROUPS, words: string]> = {
  'execution.finished': ['runs', 'Run ended'],
  'execution.status_changed': ['runs', 'Run changed its status'],
  'approval.requested': ['approvals', 'Run waits for approval'],
  'approval.decided': ['approvals', 'Run approved or rejected'],
  'decision.requested': ['approvals', 'Run waits for a decision'],
  'decision.made': ['approvals', 'Decision made'],
  'step.started': ['steps', 'Step started'],
  'step.finished': ['steps', 'Step ended'],
  'host.started': ['hosts', 'Step started on a host'],
  'host.finished': ['hosts', 'Step ended on a host'],
  'host.retrying': ['hosts', 'Step is retried on a host'],
  'host.reconnecting': ['hosts', 'Reconnecting to a host'],
  'host.resolved': ['hosts', 'Unknown result resolved'],
  'schedule.failed': ['runward', 'Schedule started no run'],
  'webhook.disabled': ['runward', 'Webhook disabled by Runward'],
  'environment.protection_changed': ['runward', 'Protection of an environment weakened'],
};

const TYPES = Object.keys(LABELS) as WebhookEvent[];

/** Events by group, the most common first. */
export const EVENT_GROUPS: readonly EventGroup[] = Object.entries(GROUPS).map(([key, group]) => ({
  ...group,
  events: TYPES.filter((type) => LABELS[type][0] === key).map((type) => ({ type, words: LABELS[type][1] })),
}));

const isWebhookEvent = (type: string): type is WebhookEvent => Object.hasOwn(LABELS, type);

/** Returns the label of an event type, or the type if it has no label. */
export const eventWords = (type: string): string =>
  type === 'webhook.test' ? 'Test message' : isWebhookEvent(type) ? LABELS[type][1] : type;

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
