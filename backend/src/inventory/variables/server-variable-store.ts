import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { affected, sql } from '../../common/database/sql.js';
import { newId } from '../../common/ids.js';
import type { VariableValue } from '../../variables/variable-value.js';
import { toTypeAndSecrecy } from '../../variables/variable-rules.js';

export interface PlainServerValues {
  serverId: string;
  values: Readonly<Record<string, VariableValue>>;
}

const VALUES_PER_BATCH = 1000;

/** Stores plain variables of many servers in batches. The caller writes the audit entries. */
@Injectable()
export class ServerVariableStore {
  /** Skips variables that are stored as secrets. */
  async setValues(tx: EntityManager, caller: Principal, all: readonly PlainServerValues[]): Promise<void> {
    const variables = all.flatMap(({ serverId, values }) =>
      Object.entries(values).map(([key, value]) => ({
        id: newId(),
        serverId,
        key,
        value,
        type: toTypeAndSecrecy({ value }).type,
      })),
    );
    for (let from = 0; from < variables.length; from += VALUES_PER_BATCH) {
      const some = JSON.stringify(variables.slice(from, from + VALUES_PER_BATCH));
      await affected(
        tx,
        sql`insert into server_variables as v (id, tenant_id, server_id, key, type, secret, value, updated_by, updated_by_name)
          select id, ${caller.tenantId}, "serverId", key, type, false, value, ${caller.userId}, ${caller.name}
            from jsonb_to_recordset(${some}::jsonb) as x (id uuid, "serverId" uuid, key text, type text, value jsonb)
          on conflict (tenant_id, server_id, key) do update set type = excluded.type, value = excluded.value,
            updated_by = excluded.updated_by, updated_by_name = excluded.updated_by_name, updated_at = now(), version = v.version + 1
            where not v.secret`,
      );
    }
  }
}
