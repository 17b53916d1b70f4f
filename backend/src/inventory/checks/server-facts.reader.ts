import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { row, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { type ServerFactsView, toHostFactsView } from '../facts/facts.view.js';
import type { HostFacts } from '../facts/host-facts.js';
import { ServerLookup } from '../server-lookup.js';

@Injectable()
export class ServerFactsReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly servers: ServerLookup,
  ) {}

  /** @throws Problem 404 */
  get(caller: Principal, id: string): Promise<ServerFactsView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const { id: serverId } = await this.servers.getVisible(tx, caller, id);
      const known = await row(
        tx,
        sql<{ facts: HostFacts | null; facts_at: Date | null; age: number }>`
          select facts, facts_at, greatest(0, floor(extract(epoch from now() - facts_at)))::int as age
            from servers where tenant_id = ${caller.tenantId} and id = ${serverId}`,
      );
      // Both are set or both null.
      if (!known?.facts || !known.facts_at) return { serverId, facts: null, factsAt: null, ageSeconds: null };
      return {
        serverId,
        facts: toHostFactsView(known.facts),
        factsAt: known.facts_at.toISOString(),
        ageSeconds: known.age,
      };
    });
  }
}
