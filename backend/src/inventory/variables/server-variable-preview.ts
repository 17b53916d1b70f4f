import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { row, rows, sql } from '../../common/database/sql.js';
import { notFound, Problem } from '../../common/errors/problem.js';
import type { VariableValue } from '../../variables/variable-value.js';
import { ServerLookup } from '../server-lookup.js';
import { ServerVariableVault } from './server-variable-vault.js';

export interface ServerValuePreview {
  serverId: string;
  serverName: string;
  /** Null = secret. */
  value: VariableValue | null;
  secret: boolean;
}

export interface ServerValuesPreview {
  /** Number of servers that have this variable. */
  count: number;
  /** First servers by name, at most `MAX_LISTED_SERVERS`. */
  first: ServerValuePreview[];
}

interface ListedVariableRow {
  key: string;
  count: number;
  id: string;
  name: string;
  value: VariableValue | null;
  secret: boolean;
}

export const MAX_LISTED_SERVERS = 20;

/** Reads server variables for display. Does not decrypt secrets. */
@Injectable()
export class ServerVariablePreview {
  constructor(
    private readonly servers: ServerLookup,
    private readonly vault: ServerVariableVault,
  ) {}

  /**
   * Returns the variables of one server, sorted by name.
   * @param environmentId environment in which the server must be; null = any
   * @throws Problem 404 if the server is not in that environment, or the caller cannot see it
   */
  async previewServer(
    tx: EntityManager,
    caller: Principal,
    { id, environmentId, path }: { id: string; environmentId: string | null; path: string },
  ): Promise<{ environmentId: string; values: ReadonlyMap<string, ServerValuePreview> }> {
    const server = await this.servers.getVisible(tx, caller, id).catch((error: unknown) => {
      throw error instanceof Problem && error.code === 'not_found' ? notFound(path) : error;
    });
    if (environmentId !== null && server.environmentId !== environmentId) throw notFound(path);
    const found =
      (await this.vault.readForPreview(tx, caller.tenantId, [id])).get(id) ?? new Map<string, VariableValue | null>();
    const values = [...found].map(([name, value]): [string, ServerValuePreview] => [
      name,
      { serverId: id, serverName: server.name, value, secret: value === null },
    ]);
    return { environmentId: server.environmentId, values: new Map(values) };
  }

  /**
   * Returns the variables on the enabled servers of an environment, sorted by name, and the number of these servers.
   * The caller must have verified that the environment is visible.
   */
  async previewEnvironment(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
  ): Promise<{ servers: number; values: ReadonlyMap<string, ServerValuesPreview> }> {
    const all = await row(
      tx,
      sql<{ count: number }>`select count(*)::int as count from servers
        where tenant_id = ${tenantId} and environment_id = ${environmentId} and enabled`,
    );
    const found = await rows(
      tx,
      sql<ListedVariableRow>`select key, count::int, id, name, value, secret from (
          select v.key, v.value, v.secret, s.id, s.name, count(*) over (partition by v.key) as count,
              row_number() over (partition by v.key order by s.name, s.id) as place
            from servers s join server_variables v on v.tenant_id = s.tenant_id and v.server_id = s.id
            where s.tenant_id = ${tenantId} and s.environment_id = ${environmentId} and s.enabled) x
        where place <= ${MAX_LISTED_SERVERS} order by key collate "C", place`,
    );
    const values = new Map<string, ServerValuesPreview>();
    for (const { key, count, id, name, value, secret } of found) {
      const known = values.get(key) ?? { count, first: [] };
      known.first.push({ serverId: id, serverName: name, value, secret });
      values.set(key, known);
    }
    return { servers: all?.count ?? 0, values };
  }
}
