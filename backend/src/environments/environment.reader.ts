import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { environmentIsVisible, NAMED_CALLER } from '../common/access/visible-environment.js';
import { conflict, notFound } from '../common/errors/problem.js';
import { isId } from '../common/ids.js';
import { Environment } from './environment.entity.js';
import { type GrantLevel, mayRun } from './grant-policy.js';

/** What other rooms may ask about environments. Visible-or-not-found is decided here alone. */
@Injectable()
export class EnvironmentReader {
  /**
   * The environment if the caller may see it.
   * @param path JSON pointer, when the id stood in a body
   * @throws Problem 404
   */
  async visible(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<Environment> {
    const environment = isId(id)
      ? await tx
          .getRepository(Environment)
          .createQueryBuilder('environment')
          .where('environment.tenantId = :tenantId and environment.id = :id', { ...caller, id })
          .andWhere(environmentIsVisible('environment', NAMED_CALLER))
          .getOne()
      : null;
    if (!environment) throw notFound(path);
    return environment;
  }

  /** Those of the ids that the caller may see. */
  async visibleAmong(tx: EntityManager, caller: Principal, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await tx.query<{ id: string }[]>(
      `select e.id from environments e where e.tenant_id = $1 and e.id = any ($2)
        and ${environmentIsVisible('e', { role: '$3', user: '$4' })}`,
      [caller.tenantId, ids, caller.role, caller.userId],
    );
    return new Set(rows.map((row) => row.id));
  }

  /** The caller's own grants by environment id. */
  async ownGrants(tx: EntityManager, caller: Principal, ids: readonly string[]): Promise<Map<string, GrantLevel>> {
    const rows = await tx.query<{ environment_id: string; level: GrantLevel }[]>(
      'select environment_id, level from environment_grants where tenant_id = $1 and user_id = $2 and environment_id = any ($3)',
      [caller.tenantId, caller.userId, ids],
    );
    return new Map(rows.map((row) => [row.environment_id, row.level]));
  }

  /**
   * The environment if the caller may also change what hangs on it and run there.
   * @param path JSON pointer, when the id stood in a body
   * @throws Problem 404; 409 `grant_required`
   */
  async runnable(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<Environment> {
    const environment = await this.visible(tx, caller, id, path);
    await this.demandRun(tx, caller, environment);
    return environment;
  }

  /**
   * For whoever found the environment visible: whether the caller may also change what hangs on it and run there.
   * @throws Problem 409 `grant_required`: the caller sees the record, so a refusal tells nothing new
   */
  async demandRun(tx: EntityManager, caller: Principal, environment: Environment): Promise<void> {
    const grant = (await this.ownGrants(tx, caller, [environment.id])).get(environment.id) ?? null;
    if (mayRun({ role: caller.role, access: environment.access, grant })) return;
    throw conflict(
      'grant_required',
      `"${environment.name}" is restricted and this needs the grant "run" there${grant ? `; yours is "${grant}"` : ''}. Ask an admin for it.`,
    );
  }

  /**
   * The same, held until the transaction ends: nobody else changes it between the look at its version and the change.
   * @throws Problem 404
   */
  async held(tx: EntityManager, caller: Principal, id: string): Promise<Environment> {
    await this.visible(tx, caller, id);
    const lock = { mode: 'pessimistic_write' as const };
    const environment = await tx.getRepository(Environment).findOne({ where: { tenantId: caller.tenantId, id }, lock });
    if (!environment) throw notFound();
    return environment;
  }
}
