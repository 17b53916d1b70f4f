import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { conflict, notFound } from '../common/errors/problem.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { isInVisibleEnvironment, isInScopeList } from '../environments/visible-environment.js';
import { RunPlanReader } from '../plans/run-plan.reader.js';
import { ACTIVE_MEMBERS, MEMBERS } from '../tenancy/directory/members.sql.js';
import { filterMemberIds } from './delivery/recipients/recipients.js';
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  type NotificationRuleView,
  toRuleView,
} from './notification-rules.view.js';
import type { NotificationRule } from './records/notification-rule.entity.js';

const CALLER = { role: '$2::text', user: '$3::uuid', limits: '$4' };

/**
 * SQL condition for deliveries that the caller can see; `$2`, `$3` and `$4` are the role, user and limits. A delivery
 * without an environment may concern several environments, so it is hidden from limited tokens. Events for admins are
 * visible only to admins.
 */
export const DELIVERY_IS_VISIBLE = `(${isInScopeList('environmentIds', 'd.environment_id', CALLER.limits)}
  and (d.environment_id is null and (d.event <> 'webhook_disabled' or ${CALLER.role} = 'admin')
     or d.environment_id is not null and ${isInVisibleEnvironment('d', CALLER)}))`;

@Injectable()
export class RuleReader {
  constructor(
    private readonly environments: EnvironmentReader,
    private readonly plans: RunPlanReader,
  ) {}

  async views(
    tx: EntityManager,
    caller: Principal,
    rules: readonly NotificationRule[],
  ): Promise<NotificationRuleView[]> {
    if (rules.length === 0) return [];
    const { tenantId } = caller;
    const ids = rules.map(({ id }) => id);
    const recipients = rules.flatMap(({ channel }) => filterMemberIds(channel.to ?? []));
    const owners = rules.flatMap(({ ownerId }) => ownerId ?? []);
    const [members, active, secrets, environments, plans, latest] = await Promise.all([
      tx.query<{ id: string; name: string }[]>(
        `select id, name from ${MEMBERS} m where m.tenant_id = $1 and m.id = any ($2) order by name`,
        [tenantId, recipients],
      ),
      tx.query<{ id: string }[]>(`select id from ${ACTIVE_MEMBERS} m where m.tenant_id = $1 and m.id = any ($2)`, [
        tenantId,
        owners,
      ]),
      tx.query<{ id: string }[]>(
        'select id from notification_rules where tenant_id = $1 and id = any ($2) and sealed_secret is not null',
        [tenantId, ids],
      ),
      this.environments.visibleByName(
        tx,
        caller,
        rules.flatMap(({ environmentIds }) => environmentIds ?? []),
      ),
      this.plans.named(
        tx,
        caller,
        rules.flatMap(({ planIds }) => planIds ?? []),
      ),
      tx.query<DeliveryRow[]>(
        `select d.* from unnest($5::uuid[]) as rule (id) cross join lateral (
            select ${DELIVERY_COLUMNS} from notification_deliveries d
              where d.tenant_id = $1 and d.rule_id = rule.id and ${DELIVERY_IS_VISIBLE} order by d.id desc limit 1) d`,
        [tenantId, caller.role, caller.userId, caller.limits, ids],
      ),
    ]);
    const visible = new Set([...environments, ...plans].map(({ id }) => id));
    return rules.map((rule) =>
      toRuleView(rule, {
        members,
        visible,
        hasSecret: secrets.some(({ id }) => id === rule.id),
        ownerActive: active.some(({ id }) => id === rule.ownerId),
        lastDelivery: latest.find(({ rule_id }) => rule_id === rule.id),
      }),
    );
  }

  async view(tx: EntityManager, caller: Principal, rule: NotificationRule): Promise<NotificationRuleView> {
    const [view] = await this.views(tx, caller, [rule]);
    if (!view) throw new Error('A rule that was just read has no view.');
    return view;
  }

  /**
   * Requires that the environments, plans and members of a request exist and are visible.
   * @throws Problem 404 that names the field
   */
  async requireNamedRecords(
    tx: EntityManager,
    caller: Principal,
    { environmentIds, planIds, to }: { environmentIds?: string[] | null; planIds?: string[] | null; to?: string[] },
  ): Promise<void> {
    const environments = await this.environments.visibleByName(tx, caller, environmentIds ?? []);
    requireEach(environmentIds ?? [], environments, '/environmentIds');
    requireEach(planIds ?? [], await this.plans.named(tx, caller, planIds ?? []), '/planIds');
    const members = filterMemberIds(to ?? []);
    const found = await tx.query<{ id: string }[]>(
      `select id from ${MEMBERS} m where m.tenant_id = $1 and m.id = any ($2)`,
      [caller.tenantId, members],
    );
    for (const [index, each] of (to ?? []).entries())
      if (members.includes(each) && !found.some(({ id }) => id === each)) throw notFound(`/channel/to/${index}`);
  }
}

/** @throws Problem 404 for the first ID that was not found */
function requireEach(ids: readonly string[], found: readonly { id: string }[], path: string): void {
  for (const [index, id] of ids.entries())
    if (!found.some((each) => each.id === id)) throw notFound(`${path}/${index}`);
}

export const MAX_RULES = 200;

/** @throws Problem 409 `too_many_notification_rules` */
export function requireBelowLimit(count: number): void {
  if (count < MAX_RULES) return;
  throw conflict(
    'too_many_notification_rules',
    `A tenant has at most ${MAX_RULES} notification rules. Delete rules that you no longer need.`,
  );
}
