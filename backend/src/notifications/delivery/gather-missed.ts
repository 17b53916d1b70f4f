import type { EntityManager } from 'typeorm';
import { addToDelivery, findOpenDeliveries } from '../records/delivery-rows.js';
import { NOTIFICATION_EVENTS } from '../messages/notification-events.js';
import { type GatheredMessage, mergeGathered, sharesMessage } from './missed-schedules.js';
import type { PlannedMessage } from './reported-event.js';

/** Delay after the latest missed time, in seconds. Further missed schedules are added to the message meanwhile. */
const GATHER_DELAY_SECONDS = 10;
/** Maximum delay after the first missed time, in seconds. A tenant may have thousands of schedules. */
const MAX_GATHER_SECONDS = 300;

/**
 * Combines schedules that missed their times for one cause into one message per rule. Adds them to a message that was
 * not sent yet. The row of that message is locked until the transaction ends, so a worker sends it either before or
 * after the addition.
 * @returns messages to store separately
 */
export async function gatherMissed(
  tx: EntityManager,
  tenantId: string,
  planned: readonly PlannedMessage[],
): Promise<readonly PlannedMessage[]> {
  const own: PlannedMessage[] = [];
  const messagesByRule = new Map<string, PlannedMessage[]>();
  for (const each of planned) {
    if (!sharesMessage(each.told)) own.push(each);
    else messagesByRule.set(each.ruleId, [...(messagesByRule.get(each.ruleId) ?? []), each]);
  }
  if (messagesByRule.size === 0) return own;
  const open = await findOpenDeliveries(tx, tenantId, [...messagesByRule.keys()], MAX_GATHER_SECONDS);
  for (const [ruleId, each] of messagesByRule) {
    const [first] = each;
    if (!first) continue;
    const gatheredNews = each.map(({ told }) => toGathered(told)).reduce(mergeGathered);
    const before = open.find((row) => row.ruleId === ruleId);
    if (!before) own.push({ ...first, told: { ...first.told, ...gatheredNews }, inSeconds: GATHER_DELAY_SECONDS });
    else {
      const { name, ...rest } = mergeGathered({ ...before, name: '' }, gatheredNews);
      const subject = `${name} ${NOTIFICATION_EVENTS[first.event].words}`;
      await addToDelivery(tx, tenantId, before.id, { ...rest, subject }, GATHER_DELAY_SECONDS, MAX_GATHER_SECONDS);
    }
  }
  return own;
}

const toGathered = ({ name, environmentId, planId, about }: PlannedMessage['told']): GatheredMessage => ({
  ...{ name, environmentId, planId, about: about ?? {} },
});
