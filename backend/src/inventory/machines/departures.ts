import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { affected, row, rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { ListOrder } from '../../common/http/paging/sorted-page.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { ENVIRONMENTS_SQL } from '../../environments/environments.sql.js';
import { Outbox } from '../../outbox/outbox.js';
import { isDepartureCountedSql } from './protected-hosts.sql.js';

/**
 * How a server left its protected environment or its host.
 * - `readdressed`: its address, port or jump server changed
 * - `forgotten`: its proofs were forgotten
 */
export const DEPARTURES = ['moved', 'deleted', 'readdressed', 'forgotten'] as const;
export type Departure = (typeof DEPARTURES)[number];

export interface DepartedRow {
  id: string;
  server_id: string;
  server_name: string;
  how: Departure;
  left_by: string | null;
  left_by_name: string | null;
  left_at: Date;
  counts_until: Date | null;
  kept_by: string | null;
  kept_by_name: string | null;
  proofs: { address: string; port: number; fingerprint: string }[];
}

const MAX_PROOFS = 20;

const DEPARTED_ALIAS_SQL = sql.raw('d');
const DEPARTED_COLUMNS_SQL = sql`d.id, d.server_id, d.server_name, d.how, d.left_by, d.left_by_name, d.left_at, d.counts_until, d.kept_by, d.kept_by_name,
  array(select jsonb_build_object('address', p.address, 'port', p.port, 'fingerprint', p.fingerprint) from departed_proofs p
    where p.tenant_id = d.tenant_id and p.departure_id = d.id order by p.fingerprint, p.address, p.port limit ${MAX_PROOFS}::int) as proofs`;

export const readDepartedServers = (
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
  order: ListOrder,
  limit: number,
): Promise<(DepartedRow & { sort_key: string | null })[]> => {
  const ofEnvironment = sql`d.tenant_id = ${tenantId} and d.environment_id = ${environmentId}`;
  const conditions = [ofEnvironment, isDepartureCountedSql(DEPARTED_ALIAS_SQL), ...order.afterCursorSql()];
  return rows(
    tx,
    sql<DepartedRow & { sort_key: string | null }>`
      select ${DEPARTED_COLUMNS_SQL}, ${order.key} as sort_key from departed_servers d
        where ${sql.all(conditions)} order by ${order.orderBy} limit ${limit}`,
  );
};

export const lockDeparture = (
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
  id: string,
): Promise<DepartedRow | undefined> =>
  row(
    tx,
    sql<DepartedRow>`select ${DEPARTED_COLUMNS_SQL} from departed_servers d
      where d.tenant_id = ${tenantId} and d.environment_id = ${environmentId} and d.id = ${id}
        and ${isDepartureCountedSql(DEPARTED_ALIAS_SQL)} for update of d`,
  );

export const releaseDeparture = (tx: EntityManager, tenantId: string, id: string): Promise<unknown> =>
  affected(tx, sql`delete from departed_servers where tenant_id = ${tenantId} and id = ${id}`);

export const keepDeparture = (tx: EntityManager, { tenantId, userId, name }: Principal, id: string): Promise<unknown> =>
  affected(
    tx,
    sql`update departed_servers set counts_until = null, kept_by = ${userId}, kept_by_name = ${name}
      where tenant_id = ${tenantId} and id = ${id}`,
  );

export async function hasDeparted(tx: EntityManager, tenantId: string, environmentId: string): Promise<boolean> {
  const departed = await row(
    tx,
    sql`select from departed_servers d where d.tenant_id = ${tenantId} and d.environment_id = ${environmentId}
      and ${isDepartureCountedSql(DEPARTED_ALIAS_SQL)} limit 1`,
  );
  return departed !== undefined;
}

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
        type: 'environment.protection_changed',
        environmentId,
        data: {
          ...{
            what: 'servers_left',
            environment: { id: environmentId, name: environmentName },
            by: { id: caller.userId, name: caller.name },
          },
          departed: { count, names, countsUntil: countsUntil.toISOString() },
          webUrl: this.webUrl(environmentId),
        },
      });
  }

  webUrl(environmentId: string): string {
    return `${this.runtime.settings.publicUrl}/environments/${environmentId}?tab=protection`;
  }
}
