import type { EntityManager } from 'typeorm';
import { newId } from '../../common/ids.js';
import { findPreviousFailureTime, hasUnknownResults } from '../../executions/notices/run-end.js';
import type { OutboxBatch, OutboxConsumer } from '../../outbox/outbox-consumers.js';
import { NOTIFICATION_EVENTS, type NotificationEvent } from '../messages/notification-events.js';
import { insertDeliveries, type NewDelivery } from '../records/delivery-rows.js';
import { MAX_MESSAGES_PER_HOUR, toSummaryCause, getHourlyUse } from './flood-guard.js';
import { gatherMissed } from './gather-missed.js';
import { CONSUMER, type ListeningRule, listeningRules } from './listening-rules.js';
import { type ReportedEvent, toReportedEvent, type PlannedMessage } from './reported-event.js';

/** Creates one message per matching rule from an event. Events with a common cause share a message. */
export const notificationConsumer: OutboxConsumer = {
  name: CONSUMER,
  async take(tx, batch) {
    const reported = batch.events.flatMap((event) => toReportedEvent(event) ?? []);
    if (reported.length === 0) return;
    const places = new Set(reported.map(({ environmentId }) => environmentId));
    const rules = await listeningRules(tx, batch.tenantId, [...places]);
    if (rules.length === 0) return;
    const planned: PlannedMessage[] = [];
    for (const each of reported) {
      const coveringRules = rules.filter((rule) => coversEvent(rule, each));
      const listenedEvents = new Set(coveringRules.flatMap(({ events }) => events));
      const trueEvents = await findTrueEvents(tx, batch.tenantId, each, listenedEvents);
      for (const rule of coveringRules) {
        const event = trueEvents.find((meaning) => rule.events.includes(meaning));
        if (event) planned.push({ ruleId: rule.id, told: each, event, inSeconds: 0 });
      }
    }
    await store(tx, batch, await gatherMissed(tx, batch.tenantId, planned));
  },
};

const coversEvent = (rule: ListeningRule, { environmentId, planId }: ReportedEvent): boolean =>
  rule.environmentId === environmentId && (rule.planIds === null || (planId !== null && rule.planIds.includes(planId)));

async function findTrueEvents(
  tx: EntityManager,
  tenantId: string,
  { run, meanings }: ReportedEvent,
  listenedEvents: ReadonlySet<NotificationEvent>,
): Promise<NotificationEvent[]> {
  const confirmedEvents: NotificationEvent[] = [];
  for (const meaning of meanings) {
    if (!listenedEvents.has(meaning)) continue;
    if (run && meaning === 'execution.results_unknown' && !(await hasUnknownResults(tx, tenantId, run.id))) continue;
    if (run && meaning === 'execution.recovered' && !(await findPreviousFailureTime(tx, tenantId, run.id))) continue;
    confirmedEvents.push(meaning);
  }
  return confirmedEvents;
}

async function store(
  tx: EntityManager,
  { tenantId, queue }: OutboxBatch,
  planned: readonly PlannedMessage[],
): Promise<void> {
  if (planned.length === 0) return;
  const hour = await getHourlyUse(tx, tenantId, [...new Set(planned.map(({ ruleId }) => ruleId))]);
  const deliveries: NewDelivery[] = [];
  for (const { ruleId, told: reported, event, inSeconds } of planned) {
    const { run, environmentId, planId, name, cause, about } = reported;
    const before = hour.told.get(ruleId) ?? 0;
    hour.told.set(ruleId, before + 1);
    const of = { ruleId, environmentId, planId, executionId: run?.id ?? null, about };
    const subject = `${name} ${NOTIFICATION_EVENTS[event].words}`;
    const state = before < MAX_MESSAGES_PER_HOUR ? 'waiting' : 'summarised';
    deliveries.push({ id: newId(), ...of, event, cause, subject, state, inSeconds });
    if (before !== MAX_MESSAGES_PER_HOUR) continue;
    const none = { environmentId: null, planId: null, executionId: null, about: null };
    const summary = { event: 'summary', cause: toSummaryCause(hour.number), subject: 'What was left out' } as const;
    deliveries.push({ id: newId(), ruleId, ...none, ...summary, state: 'waiting', inSeconds: hour.left });
  }
  const stored = await insertDeliveries(tx, tenantId, deliveries);
  for (const { id, state, inSeconds } of deliveries)
    if (state === 'waiting' && stored.has(id))
      await queue.enqueueNotification(tx, { tenantId, deliveryId: id }, { inSeconds });
}
