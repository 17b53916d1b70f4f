import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../common/database/sql.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { createSealedVariableColumn, openVariable } from '../../variables/variable-seal.js';
import type { VariableValue } from '../../variables/variable-value.js';

export const SEALED_SERVER_VARIABLES = createSealedVariableColumn('server_variables');

/** SQL relation with the versions of all server secrets, for statements of other modules. */
export const SERVER_SECRET_VERSIONS_SQL = sql`(select tenant_id, server_id, key, id::text || ':' || version as version
  from server_variables where secret)`;

export interface ServerValue {
  value: VariableValue;
  /** Changes with every change of the secret; null = not a secret. */
  secretVersion: string | null;
}

/** By variable name. */
export type ServerValues = ReadonlyMap<string, ServerValue>;

interface ValueRow {
  id: string;
  server_id: string;
  key: string;
  value: VariableValue | null;
  sealed_value: Buffer | null;
  version: number;
}

/** Number of secrets to open before other tasks get a turn; takes a few milliseconds. */
const VALUES_PER_BATCH = 200;

@Injectable()
export class ServerVariableVault {
  constructor(@Inject(RUNTIME) private readonly runtime: Runtime) {}

  async findVariableIds(tx: EntityManager, tenantId: string, serverIds: readonly string[]): Promise<string[]> {
    const found = await rows(
      tx,
      sql<{ id: string }>`select id from server_variables
        where tenant_id = ${tenantId} and server_id = any (${serverIds})`,
    );
    return found.map(({ id }) => id);
  }

  async countBytes(tx: EntityManager, tenantId: string, serverIds: readonly string[]): Promise<number> {
    const size = await row(
      tx,
      sql.prepared<{ bytes: number }>`
        select coalesce(sum(octet_length(key) + coalesce(octet_length(value::text), octet_length(sealed_value))), 0)::float8 as bytes
          from server_variables where tenant_id = ${tenantId} and server_id = any (${serverIds})`,
    );
    return size?.bytes ?? 0;
  }

  /** Returns the opened variables by server ID. Omits servers without variables. */
  async openForRun(
    tx: EntityManager,
    tenantId: string,
    serverIds: readonly string[],
  ): Promise<ReadonlyMap<string, ServerValues>> {
    return this.openValues(await this.readValues(tx, tenantId, serverIds), tenantId);
  }

  /** Like `openForRun`, but with null for secrets: a preview cannot leak their content. */
  async readForPreview(
    tx: EntityManager,
    tenantId: string,
    serverIds: readonly string[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, VariableValue | null>>> {
    const found = new Map<string, Map<string, VariableValue | null>>();
    for (const { server_id, key, value } of await this.readValues(tx, tenantId, serverIds))
      found.set(server_id, (found.get(server_id) ?? new Map<string, VariableValue | null>()).set(key, value));
    return found;
  }

  async findSecretNames(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    names: readonly string[],
  ): Promise<string[]> {
    if (names.length === 0) return [];
    const found = await rows(
      tx,
      sql<{ key: string }>`select distinct v.key
        from server_variables v join servers s on s.tenant_id = v.tenant_id and s.id = v.server_id
        where v.tenant_id = ${tenantId} and s.environment_id = ${environmentId} and v.secret and v.key = any (${names})`,
    );
    return found.map(({ key }) => key);
  }

  private async openValues(
    variables: readonly ValueRow[],
    tenantId: string,
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, ServerValue>>> {
    const found = new Map<string, Map<string, ServerValue>>();
    let opened = 0;
    for (const { id, server_id, key, value, sealed_value, version } of variables) {
      const each: ServerValue = sealed_value
        ? {
            value: openVariable(
              this.runtime.masterKey,
              SEALED_SERVER_VARIABLES,
              { tenantId, id, version },
              sealed_value,
            ),
            secretVersion: `${id}:${version}`,
          }
        : { value: value as VariableValue, secretVersion: null };
      if (sealed_value && (opened += 1) % VALUES_PER_BATCH === 0) await turnOfOthers();
      found.set(server_id, (found.get(server_id) ?? new Map<string, ServerValue>()).set(key, each));
    }
    return found;
  }

  private readValues(tx: EntityManager, tenantId: string, serverIds: readonly string[]): Promise<ValueRow[]> {
    return rows(
      tx,
      sql<ValueRow>`select id, server_id, key, value, sealed_value, version from server_variables
        where tenant_id = ${tenantId} and server_id = any (${serverIds}) order by server_id, key collate "C"`,
    );
  }
}
