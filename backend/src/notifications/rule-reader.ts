import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { rows, sql, type Sql } from '../common/database/sql.js';
import { conflict, notFound } from '../common/errors/problem.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { isInVisibleEnvironmentSql, type Viewer, isWithinLimitsSql } from '../environments/environments.sql.js';
import { RunPlanReader } from '../plans/records/run-plan.reader.js';
import { ACTIVE_MEMBERS, MEMBERS } from '../tenancy/directory/members.sql.js';
import { filterMemberIds } from './delivery/recipients/recipients.js';
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  type NotificationRuleView,
  toRuleView,
} from './notification-rules.view.js';
import type { NotificationRule } from './records/notification-rule.entity.js';

/**
 * Condition on a row of `notification_deliveries`: the caller can see it. A delivery without an environment may concern
 * several environments, so it is hidden from limited tokens. Events for admins are visible only to admins.
 */
export const isDeliveryVisibleSql = (delivery: Sql, caller: Viewer): Sql =>
  sql`(${isWithinLimitsSql('environmentIds', sql`${delivery}.environment_id`, caller)}
    and (${delivery}.environment_id is null and (${delivery}.event <> 'webhook.disabled' or ${caller.role}::text = 'admin')
      or ${delivery}.environment_id is not null and ${isInVisibleEnvironmentSql(delivery, caller)}))`;

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
      rows(
        tx,
        sql<{ id: string; name: string }>`select id, name from ${MEMBERS} m
          where m.tenant_id = ${tenantId} and m.id = any (${recipients}) order by name`,
      ),
      rows(
        tx,
        sql<{
          id: string;
        }>`select id from ${ACTIVE_MEMBERS} m where m.tenant_id = ${tenantId} and m.id = any (${owners})`,
      ),
      rows(
        tx,
        sql<{ id: string }>`select id from notification_rules
          where tenant_id = ${tenantId} and id = any (${ids}) and sealed_secret is not null`,
      ),
      this.environments.findVisibleByName(
        tx,
        caller,
        rules.flatMap(({ environmentIds }) => environmentIds ?? []),
      ),
      this.plans.named(
        tx,
        caller,
        rules.flatMap(({ planIds }) => planIds ?? []),
      ),
      rows(
        tx,
        sql<DeliveryRow>`select d.* from unnest(${ids}::uuid[]) as rule (id) cross join lateral (
            select ${DELIVERY_COLUMNS} from notification_deliveries d
              where d.tenant_id = ${tenantId} and d.rule_id = rule.id and ${isDeliveryVisibleSql(sql.raw('d'), caller)}
              order by d.id desc limit 1) d`,
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
    const environments = await this.environments.findVisibleByName(tx, caller, environmentIds ?? []);
    requireEach(environmentIds ?? [], environments, '/environmentIds');
    requireEach(planIds ?? [], await this.plans.named(tx, caller, planIds ?? []), '/planIds');
    const members = filterMemberIds(to ?? []);
    const found = await rows(
      tx,
      sql<{
        id: string;
      }>`select id from ${MEMBERS} m where m.tenant_id = ${caller.tenantId} and m.id = any (${members})`,
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
