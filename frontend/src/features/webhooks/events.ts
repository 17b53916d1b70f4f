import type { WebhookEvent } from '../../api/types';

export interface EventWords {
  type: WebhookEvent;
  /** What happened, in plain words. */
  words: string;
}

export interface EventGroup {
  title: string;
  /** What to know before choosing it. */
  hint?: string;
  events: EventWords[];
}

/** All events by what they are about, those that most people want first. */
export const EVENT_GROUPS: readonly EventGroup[] = [
  {
    title: 'Runs',
    events: [
      { type: 'execution.finished', words: 'A run ended, however it did' },
      { type: 'execution.status_changed', words: 'A run changed its status, from accepted to ended' },
    ],
  },
  {
    title: 'People are asked',
    events: [
      { type: 'approval.requested', words: 'A run waits for approval' },
      { type: 'approval.decided', words: 'Somebody approved or rejected a run' },
      { type: 'decision.requested', words: 'A run waits for a decision' },
      { type: 'decision.made', words: 'Somebody decided how a run goes on' },
    ],
  },
  {
    title: 'Steps',
    events: [
      { type: 'step.started', words: 'A step began' },
      { type: 'step.finished', words: 'A step ended' },
    ],
  },
  {
    title: 'Hosts',
    hint: 'One message for each host and step: many for large runs.',
    events: [
      { type: 'host.started', words: 'A step began on a host' },
      { type: 'host.finished', words: 'A step ended on a host' },
      { type: 'host.retrying', words: 'A step failed on a host and is tried again' },
      { type: 'host.reconnecting', words: 'The connection to a host is made again' },
      { type: 'host.resolved', words: 'An unknown result was resolved' },
    ],
  },
  {
    title: 'The service',
    events: [
      { type: 'schedule.failed', words: 'A schedule started no run' },
      { type: 'webhook.disabled', words: 'A webhook was disabled by the service' },
      { type: 'environment.protection', words: 'A change weakens the protection of an environment' },
    ],
  },
];

const WORDS = new Map<string, string>(
  EVENT_GROUPS.flatMap(({ events }) => events.map(({ type, words }) => [type, words] as const)),
);

/** What the type of an event means; the type itself where there are no words for it. */
export const eventWords = (type: string): string => (type === 'webhook.test' ? 'A test' : (WORDS.get(type) ?? type));

/** The chosen events with those of a group added, or taken away when all of them are chosen. */
export function toggledGroup(chosen: readonly WebhookEvent[], group: readonly EventWords[]): WebhookEvent[] {
  const types = group.map(({ type }) => type);
  const all = types.every((type) => chosen.includes(type));
  return all ? chosen.filter((type) => !types.includes(type)) : [...new Set([...chosen, ...types])];
}

/** The first words of what is chosen, for a list. */
export function eventsInShort(events: readonly string[]): string {
  const [first, ...others] = events;
  if (first === undefined) return 'None';
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
