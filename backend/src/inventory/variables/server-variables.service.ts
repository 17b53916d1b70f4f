import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../../audit/audit-actions.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { affected, row, rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, invalidRequest, notFound, versionMismatchProblem } from '../../common/errors/problem.js';
import { encodeCursor, readCursor } from '../../common/http/paging/cursor.js';
import { requireVersion } from '../../common/http/etag.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../common/http/paging/page.js';
import { newId } from '../../common/ids.js';
import { findSecretsSizeFault, computeSecretSize } from '../../variables/secret-rules.js';
import { findNameFault } from '../../variables/variable-name.js';
import {
  type RequestedVariable,
  toTypeAndSecrecy,
  findVariableFaults,
} from '../../environments/variables/variable-rules.js';
import type { ListVariablesQuery } from '../../environments/variables/variables.dto.js';
import type { Server } from '../fields/server.entity.js';
import { ServerLookup } from '../server-lookup.js';
import { MAX_SERVER_VARIABLE_BYTES, MAX_SERVER_VARIABLES } from './server-variable-limits.js';
import { ServerVariableVault } from './server-variable-vault.js';
import {
  SERVER_VARIABLE_COLUMNS_SQL,
  type ServerVariableRow,
  type ServerVariableView,
  toServerVariableView,
} from './server-variables.view.js';

const DESCENDING_KEY_SORT = '-key';

/** Reading requires a visible server; changing requires the right to run in its environment. */
@Injectable()
export class ServerVariablesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly servers: ServerLookup,
    private readonly vault: ServerVariableVault,
  ) {}

  /** Sorted by name. */
  list(caller: Principal, serverId: string, query: ListVariablesQuery): Promise<Page<ServerVariableView>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const descending = query.sort === DESCENDING_KEY_SORT;
    const after = readCursor(query.cursor, ['text'], descending ? { sort: DESCENDING_KEY_SORT } : {})?.[0] ?? null;
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.getVisible(tx, caller, serverId);
      const found = await rows(
        tx,
        sql<ServerVariableRow>`select ${SERVER_VARIABLE_COLUMNS_SQL} from server_variables
          where tenant_id = ${caller.tenantId} and server_id = ${serverId}
            and (${after}::text is null or key collate "C" ${sql.raw(descending ? '<' : '>')} ${after})
          order by key collate "C" ${sql.raw(descending ? 'desc' : 'asc')} limit ${limit + 1}`,
      );
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        items: page.map(toServerVariableView),
        nextCursor:
          found.length > limit && last ? encodeCursor(descending ? [DESCENDING_KEY_SORT, last.key] : [last.key]) : null,
      };
    });
  }

  /** @throws Problem 404 */
  get(caller: Principal, serverId: string, key: string): Promise<ServerVariableView> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.getVisible(tx, caller, serverId);
      const variable = await this.find(tx, caller, serverId, key);
      if (!variable) throw notFound();
      return toServerVariableView(variable);
    });
  }

  /**
   * @throws Problem 400; 404; 409 `grant_required`, `too_many_variables`, `variables_too_large`, `secrets_too_large`;
   *   412
   */
  async put(
    caller: Principal,
    serverId: string,
    key: string,
    requested: RequestedVariable,
    version: number | null,
  ): Promise<ServerVariableView> {
    const faults = findVariableFaults(key, requested);
    if (faults.length > 0) throw invalidRequest(faults);
    const { type, secret } = toTypeAndSecrecy(requested);
    return this.units.run(caller.tenantId, async (tx) => {
      const server = await this.getLockedServer(tx, caller, serverId);
      const before = await this.find(tx, caller, serverId, key);
      if (before) requireVersion(before, version);
      else if (version !== null) throw versionMismatchProblem();
      const id = before?.id ?? newId();
      const next = (before?.version ?? 0) + 1;
      const value = secret ? null : JSON.stringify(requested.value);
      const sealedValue = secret ? this.vault.seal(caller.tenantId, id, next, requested.value) : null;
      await affected(
        tx,
        sql`insert into server_variables
          (id, tenant_id, server_id, key, type, secret, value, sealed_value, updated_by, updated_by_name, version)
          values (${id}, ${caller.tenantId}, ${serverId}, ${key}, ${type}, ${secret}, ${value}::jsonb, ${sealedValue},
            ${caller.userId}, ${caller.name}, ${next})
          on conflict (tenant_id, server_id, key) do update set type = excluded.type, secret = excluded.secret, value = excluded.value,
            sealed_value = excluded.sealed_value, updated_by = excluded.updated_by, updated_by_name = excluded.updated_by_name,
            updated_at = now(), version = excluded.version`,
      );
      await this.requireWithinLimits(tx, caller, server, key);
      if (secret) await this.requireSecretWithinLimits(tx, caller, server, key, requested);
      const after = await this.find(tx, caller, serverId, key);
      if (!after) throw notFound();
      await this.recordAudit(tx, caller, 'server.set_variable', server, before, after);
      return toServerVariableView(after);
    });
  }

  /** @throws Problem 404; 409 `grant_required`; 412 */
  delete(caller: Principal, serverId: string, key: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.getVisible(tx, caller, serverId);
      if (!(await this.find(tx, caller, serverId, key))) throw notFound();
      const server = await this.getLockedServer(tx, caller, serverId);
      const before = await this.find(tx, caller, serverId, key);
      if (!before) throw notFound();
      requireVersion(before, version);
      await affected(tx, sql`delete from server_variables where tenant_id = ${caller.tenantId} and id = ${before.id}`);
      await this.recordAudit(tx, caller, 'server.delete_variable', server, before, null);
    });
  }

  /**
   * Locks the server's row: writers of one server must take turns, because the seal contains the version. @throws
   * Problem 404; 409 `grant_required`
   */
  private async getLockedServer(tx: EntityManager, caller: Principal, serverId: string): Promise<Server> {
    await this.servers.requireWritable(tx, caller, serverId);
    const server = await this.servers.getLocked(tx, caller, serverId);
    // Check again: the server may have moved to another environment before the lock was acquired.
    await this.servers.requireWritable(tx, caller, serverId);
    return server;
  }

  /** Must be called after the write, while the server's row is locked. */
  private async requireWithinLimits(tx: EntityManager, caller: Principal, server: Server, key: string): Promise<void> {
    const all = await row(
      tx,
      sql<{ count: number }>`select count(*)::int as count from server_variables
        where tenant_id = ${caller.tenantId} and server_id = ${server.id}`,
    );
    if ((all?.count ?? 0) > MAX_SERVER_VARIABLES) {
      throw conflict(
        'too_many_variables',
        `"${server.name}" has ${MAX_SERVER_VARIABLES} variables, the maximum. Delete one first.`,
      );
    }
    const bytes = await this.vault.countBytes(tx, caller.tenantId, [server.id]);
    if (bytes <= MAX_SERVER_VARIABLE_BYTES) return;
    throw conflict(
      'variables_too_large',
      `"${key}" cannot be stored on "${server.name}": its variables would have ${bytes} bytes in total, but at most ${MAX_SERVER_VARIABLE_BYTES} are allowed. Store large content in a file on the host.`,
    );
  }

  private async requireSecretWithinLimits(
    tx: EntityManager,
    caller: Principal,
    server: Server,
    key: string,
    { value }: RequestedVariable,
  ): Promise<void> {
    const others = await this.vault.measureSecrets(tx, caller.tenantId, server.id);
    const fault = findSecretsSizeFault({ ...others, [key]: computeSecretSize(value) });
    if (fault) throw conflict('secrets_too_large', `"${key}" cannot be stored on "${server.name}". ${fault}`);
  }

  private async find(
    tx: EntityManager,
    caller: Principal,
    serverId: string,
    key: string,
  ): Promise<ServerVariableRow | null> {
    // No variable has an invalid name, and PostgreSQL may reject the characters of such a name.
    if (findNameFault(key) !== null) return null;
    const found = await row(
      tx,
      sql<ServerVariableRow>`select ${SERVER_VARIABLE_COLUMNS_SQL} from server_variables
        where tenant_id = ${caller.tenantId} and server_id = ${serverId} and key = ${key}`,
    );
    return found ?? null;
  }

  private recordAudit(
    tx: EntityManager,
    caller: Principal,
    action: AuditActionName,
    server: Server,
    before: ServerVariableRow | null,
    after: ServerVariableRow | null,
  ): Promise<void> {
    return this.audit.record(tx, caller, {
      action,
      resourceId: (after ?? before)?.id,
      resourceName: `${server.name} / ${(after ?? before)?.key}`,
      before: before && { ...toServerVariableView(before), serverId: server.id },
      after: after && { ...toServerVariableView(after), serverId: server.id },
    });
  }
}
