import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { sql, type Sql, whereSql } from '../../common/database/sql.js';
import { notFound } from '../../common/errors/problem.js';
import { isId } from '../../common/ids.js';
import type { Viewer } from '../../environments/environments.sql.js';
import { NotificationRule } from './notification-rule.entity.js';

/**
 * Condition on a row of `notification_rules`: the caller can see it. Admins see all rules; other members see those that
 * they created or last saved. A token with an environment scope sees only rules whose environments are all in its
 * scope.
 */
export const isRuleVisibleSql = (rule: Sql, { role, userId, limits }: Viewer): Sql =>
  sql`((${role}::text = 'admin' or ${rule}.created_by = ${userId} or ${rule}.owner_id = ${userId})
    and (${limits}::jsonb -> 'environmentIds' is null or (${rule}.environment_ids is not null
      and ${rule}.environment_ids::text[] <@ array(select jsonb_array_elements_text(${limits}::jsonb -> 'environmentIds')))))`;

@Injectable()
export class RuleLookup {
  /** @throws Problem 404 */
  async visible(tx: EntityManager, caller: Principal, id: string): Promise<NotificationRule> {
    if (!isId(id)) throw notFound();
    const select = tx
      .getRepository(NotificationRule)
      .createQueryBuilder('rule')
      .where('rule.tenantId = :tenantId and rule.id = :id', { tenantId: caller.tenantId, id });
    const rule = await whereSql(select, isRuleVisibleSql(sql.raw('rule'), caller)).getOne();
    if (!rule) throw notFound();
    return rule;
  }

  /** Like `visible`, but locks the rule until the transaction ends. @throws Problem 404 */
  async getLocked(tx: EntityManager, caller: Principal, id: string): Promise<NotificationRule> {
    await this.visible(tx, caller, id);
    const lock = { mode: 'pessimistic_write' as const };
    const rule = await tx.getRepository(NotificationRule).findOne({ where: { tenantId: caller.tenantId, id }, lock });
    if (!rule) throw notFound();
    return rule;
  }
}
