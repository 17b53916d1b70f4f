import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict } from '../../common/errors/problem.js';
import type { Page } from '../../common/http/paging/page.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { VariableRecords } from '../../variables/variable-records.js';
import { type RequestedVariable, requireValidVariable } from '../../variables/variable-rules.js';
import type { ListVariablesQuery } from '../../variables/variables.dto.js';
import { toVariableView } from '../../variables/variables.view.js';
import type { Server } from '../fields/server.entity.js';
import { ServerLookup } from '../server-lookup.js';
import { MAX_SERVER_VARIABLE_BYTES, MAX_SERVER_VARIABLES } from './server-variable-limits.js';
import { SEALED_SERVER_VARIABLES, ServerVariableVault } from './server-variable-vault.js';
import type { ServerVariableView } from './server-variables.view.js';

/** Reading requires a visible server; changing requires the right to run in its environment. */
@Injectable()
export class ServerVariablesService {
  private readonly variables: VariableRecords;

  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly servers: ServerLookup,
    private readonly vault: ServerVariableVault,
    @Inject(RUNTIME) { masterKey }: Runtime,
  ) {
    const table = { table: sql`server_variables`, ownerId: sql`server_id`, sealed: SEALED_SERVER_VARIABLES };
    const kind = { ...table, auditField: 'serverId', maxCount: MAX_SERVER_VARIABLES, preposition: 'on' } as const;
    this.variables = new VariableRecords(kind, masterKey);
  }

  list(caller: Principal, serverId: string, query: ListVariablesQuery): Promise<Page<ServerVariableView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.getVisible(tx, caller, serverId);
      return this.variables.list(tx, caller, serverId, query);
    });
  }

  /** @throws Problem 404 */
  get(caller: Principal, serverId: string, key: string): Promise<ServerVariableView> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.getVisible(tx, caller, serverId);
      return toVariableView(await this.variables.get(tx, caller, serverId, key));
    });
  }

  /**
   * @throws Problem 400; 404; 403 `grant_required`; 409 `too_many_variables`, `variables_too_large`, `secrets_too_large`;
   *   412
   */
  async put(
    caller: Principal,
    serverId: string,
    key: string,
    requested: RequestedVariable,
    version: number | null,
  ): Promise<ServerVariableView> {
    requireValidVariable(key, requested);
    return this.units.run(caller.tenantId, async (tx) => {
      const server = await this.getLockedServer(tx, caller, serverId);
      const { before, after } = await this.variables.put(tx, caller, serverId, key, requested, version);
      await this.variables.requireCountWithinLimit(tx, caller, server);
      await this.requireBytesWithinLimit(tx, caller, server, key);
      if (after.secret) await this.variables.requireSecretsWithinLimit(tx, caller, server, key);
      const change = this.variables.toAuditedChange(server, before, after);
      await this.audit.record(tx, caller, { action: 'server.set_variable', ...change });
      return toVariableView(after);
    });
  }

  /** @throws Problem 404; 403 `grant_required`; 412 */
  delete(caller: Principal, serverId: string, key: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.getVisible(tx, caller, serverId);
      await this.variables.get(tx, caller, serverId, key);
      const server = await this.getLockedServer(tx, caller, serverId);
      const variable = await this.variables.get(tx, caller, serverId, key);
      await this.variables.delete(tx, caller, variable, version);
      const change = this.variables.toAuditedChange(server, variable, null);
      await this.audit.record(tx, caller, { action: 'server.delete_variable', ...change });
    });
  }

  /** @throws Problem 404; 403 `grant_required` */
  private async getLockedServer(tx: EntityManager, caller: Principal, serverId: string): Promise<Server> {
    await this.servers.requireWritable(tx, caller, serverId);
    const server = await this.servers.getLocked(tx, caller, serverId);
    // Check again: the server may have moved to another environment before the lock was acquired.
    await this.servers.requireWritable(tx, caller, serverId);
    return server;
  }

  /** Must be called after the write, while the server's row is locked. */
  private async requireBytesWithinLimit(
    tx: EntityManager,
    caller: Principal,
    server: Server,
    key: string,
  ): Promise<void> {
    const bytes = await this.vault.countBytes(tx, caller.tenantId, [server.id]);
    if (bytes <= MAX_SERVER_VARIABLE_BYTES) return;
    throw conflict(
      'variables_too_large',
      `"${key}" cannot be stored on "${server.name}": its variables would have ${bytes} bytes in total, but at most ${MAX_SERVER_VARIABLE_BYTES} are allowed. Store large content in a file on the host.`,
    );
  }
}
