import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { row, rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { ENVIRONMENTS_SQL } from '../../environments/environments.sql.js';
import { Outbox } from '../../outbox/outbox.js';

const MAX_NAMED_SERVERS = 20;

interface DepartureReportRow {
  environmentId: string;
  environmentName: string;
  count: number;
  names: string[];
  countsUntil: Date;
}

/**
 * Reports servers that leave a protected environment: moved, deleted, readdressed, or with forgotten proofs. This class
 * records the actor and sends the event. The database function `depart_server` keeps what the servers protected, for
 * every kind of request.
 */
@Injectable()
export class Departures {
  private readonly watchedUnits = new WeakSet<EntityManager>();

  constructor(
    private readonly units: UnitOfWork,
    private readonly outbox: Outbox,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /** Call it before a unit of work changes servers for a caller. */
  async reportIfDeparted(tx: EntityManager, caller: Principal): Promise<void> {
    if (this.watchedUnits.has(tx)) return;
    this.watchedUnits.add(tx);
    await row(
      tx,
      sql`select set_config('app.caller_id', ${caller.userId}, true), set_config('app.caller_name', ${caller.name}, true)`,
    );
    this.units.beforeCommit(tx, () => this.sendReport(tx, caller), { changes: false });
  }

  private async sendReport(tx: EntityManager, caller: Principal): Promise<void> {
    const reports = await rows(
      tx,
      sql<DepartureReportRow>`with departed as (
          update departed_servers set reported = true where tenant_id = ${caller.tenantId} and not reported
            returning environment_id, server_name, counts_until)
        select e.id as "environmentId", e.name as "environmentName", count(*)::int as count,
            (array_agg(d.server_name order by d.server_name))[1:${MAX_NAMED_SERVERS}::int] as names, max(d.counts_until) as "countsUntil"
          from departed d join ${ENVIRONMENTS_SQL} e on e.tenant_id = ${caller.tenantId} and e.id = d.environment_id
          group by e.id, e.name order by e.id`,
    );
    for (const { environmentId, environmentName, count, names, countsUntil } of reports)
      await this.outbox.add(tx, caller.tenantId, {
        type: 'environment.protection',
        environmentId,
        data: {
          ...{ what: 'servers_left', environment: { id: environmentId, name: environmentName }, by: caller.name },
          departed: { count, names, countsUntil: countsUntil.toISOString() },
          webUrl: this.webUrl(environmentId),
        },
      });
  }

  webUrl(environmentId: string): string {
    return `${this.runtime.settings.publicUrl}/environments/${environmentId}?tab=protection`;
  }
}
