import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { row, sql } from '../../common/database/sql.js';
import { pickFacts, type HostFacts, toSelectorLabels } from '../facts/host-facts.js';
import type { VariableValue } from '../../variables/variable-value.js';
import { isInVisibleEnvironmentSql } from '../../environments/environments.sql.js';

interface PreviewHost {
  name: string;
  tags: Record<string, string>;
  facts: Record<string, string | number>;
  variables: Record<string, VariableValue | null>;
}

interface KnownHostRow {
  name: string;
  tags: Record<string, string>;
  facts: HostFacts | null;
  variables: Record<string, VariableValue | null> | null;
}

export const knownHosts = {
  async visible(
    tx: EntityManager,
    caller: Principal,
    serverId: string,
    environmentId: string,
  ): Promise<PreviewHost | null> {
    const host = await row(
      tx,
      sql<KnownHostRow>`select s.name, s.tags, s.facts,
          (select jsonb_object_agg(v.key, v.value) from server_variables v
            where v.tenant_id = s.tenant_id and v.server_id = s.id) as variables
        from servers s where s.tenant_id = ${caller.tenantId} and s.id = ${serverId} and s.environment_id = ${environmentId}
        and ${isInVisibleEnvironmentSql(sql.raw('s'), caller)}`,
    );
    if (!host) return null;
    return {
      name: host.name,
      tags: host.tags,
      facts: pickFacts(toSelectorLabels(host)),
      variables: host.variables ?? {},
    };
  },
};
