import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { notFound } from '../common/errors/problem.js';
import { isId } from '../common/ids.js';
import { Environment } from './environment.entity.js';

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
      ? await tx.getRepository(Environment).findOneBy({ tenantId: caller.tenantId, id })
      : null;
    if (!environment) throw notFound(path);
    return environment;
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
