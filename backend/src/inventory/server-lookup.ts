import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { invalidRequest, notFound } from '../common/errors/problem.js';
import { isId } from '../common/ids.js';
import { type Selector, SelectorError, parseSelector } from './selector.js';
import { Server } from './server.entity.js';

/** Finds servers that a caller may see. */
@Injectable()
export class ServerLookup {
  /** @throws Problem 404 */
  async visible(tx: EntityManager, caller: Principal, id: string): Promise<Server> {
    const server = isId(id) ? await tx.getRepository(Server).findOneBy({ tenantId: caller.tenantId, id }) : null;
    if (!server) throw notFound();
    return server;
  }

  /**
   * The same, held until the transaction ends: nobody else changes it between the look at its version, address or host
   * key and the change.
   * @throws Problem 404
   */
  async held(tx: EntityManager, caller: Principal, id: string): Promise<Server> {
    await this.visible(tx, caller, id);
    const lock = { mode: 'pessimistic_write' as const };
    const server = await tx.getRepository(Server).findOne({ where: { tenantId: caller.tenantId, id }, lock });
    if (!server) throw notFound();
    return server;
  }
}

/** Parses a selector that came with a request. @param path JSON pointer or `?name`. @throws Problem 400 */
export function selectorOf(text: string, path: string): Selector {
  try {
    return parseSelector(text);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw invalidRequest([{ path, code: 'invalid_selector', message: error.message }]);
  }
}
