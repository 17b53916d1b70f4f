import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { sql, whereSql } from '../common/database/sql.js';
import { invalidRequest, notFound } from '../common/errors/problem.js';
import { isId } from '../common/ids.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { isInVisibleEnvironmentSql } from '../environments/environments.sql.js';
import { type Selector, SelectorError, parseNewSelector } from './selectors/selector.js';
import { Server } from './fields/server.entity.js';

@Injectable()
export class ServerLookup {
  constructor(private readonly environments: EnvironmentReader) {}

  /** @param path JSON pointer to the id in the request body; absent: the id is in the URL. @throws Problem 404 */
  async getVisible(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<Server> {
    if (!isId(id)) throw notFound(path);
    const select = tx
      .getRepository(Server)
      .createQueryBuilder('server')
      .where('server.tenantId = :tenantId and server.id = :id', { tenantId: caller.tenantId, id });
    const server = await whereSql(select, isInVisibleEnvironmentSql(sql.raw('server'), caller)).getOne();
    if (!server) throw notFound(path);
    return server;
  }

  /** Returns the server if the caller can change it. @throws Problem 404; 403 `grant_required` */
  async requireWritable(tx: EntityManager, caller: Principal, id: string): Promise<Server> {
    const server = await this.getVisible(tx, caller, id);
    await this.environments.requireRunnable(tx, caller, server.environmentId);
    return server;
  }

  /**
   * Locks the row of the server until the transaction ends. Its version, address and host key can't change between
   * validation and update.
   * @throws Problem 404
   */
  async getLocked(tx: EntityManager, caller: Principal, id: string): Promise<Server> {
    await this.getVisible(tx, caller, id);
    // Weaker than the lock of a deletion: other servers can start to use this server as their jump server, without a
    // deadlock.
    const lock = { mode: 'for_no_key_update' as const };
    const server = await tx.getRepository(Server).findOne({ where: { tenantId: caller.tenantId, id }, lock });
    if (!server) throw notFound();
    return server;
  }
}

/** @param path JSON pointer or `?name` of the selector in the request. @throws Problem 400 */
export function parseSelectorAt(text: string, path: string): Selector {
  try {
    return parseNewSelector(text);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw invalidRequest([{ path, code: 'invalid_selector', message: error.message }]);
  }
}
