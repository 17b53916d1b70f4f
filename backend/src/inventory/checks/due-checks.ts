import type { EntityManager } from 'typeorm';
import { affected, rows, sql } from '../../common/database/sql.js';
import { MAY_START_SQL } from '../../common/installation/installation.sql.js';
import { ENVIRONMENTS_SQL } from '../../environments/environments.sql.js';
import { CHECK_REQUEST_LIFETIME_SECONDS } from '../machines/requested-checks.js';

/**
 * Lease of a server, in seconds. It outlasts a check through three slow jump servers. After a crash of the worker, the
 * server is not checked until the lease has expired.
 */
const CHECK_LEASE_SECONDS = 600;

/** Returns the tenants with a server to check now, in ascending order. Call it in a unit without a tenant. */
export async function findTenantsWithDueChecks(tx: EntityManager): Promise<string[]> {
  const tenants = await rows(
    tx,
    sql<{ id: string }>`select id from tenants_with_due_checks(${CHECK_REQUEST_LIFETIME_SECONDS}) as id
      where ${MAY_START_SQL}`,
  );
  return tenants.map(({ id }) => id);
}

/**
 * Claims servers of the tenant that are to be checked now: requested ones first, then those that are due the longest.
 * No other worker can claim them until their check is stored or the lease expires.
 *
 * @returns their IDs
 */
export async function claimDueChecks(tx: EntityManager, tenantId: string, limit: number): Promise<string[]> {
  const free = sql`(c.leased_until is null or c.leased_until < now())`;
  const claimed = await rows(
    tx,
    sql<{ id: string }>`with asked as (
          select c.server_id from server_checks c
            where c.tenant_id = ${tenantId} and c.enabled and c.requested_at is not null
              and c.requested_at > now() - make_interval(secs => ${CHECK_REQUEST_LIFETIME_SECONDS}) and ${free}
            order by c.requested_at limit ${limit}),
        due as (
          select d.server_id from ${ENVIRONMENTS_SQL} e
            cross join lateral (
              select c.server_id, c.due_from + make_interval(secs => e.check_interval_seconds) as at from server_checks c
                where c.tenant_id = e.tenant_id and c.environment_id = e.id and c.enabled
                  and c.due_from <= now() - make_interval(secs => e.check_interval_seconds) and ${free}
                order by c.due_from limit ${limit}) d
            where e.tenant_id = ${tenantId} and e.check_interval_seconds is not null
            order by d.at limit ${limit}),
        first as (
          select server_id, 0 as turn from asked
          union select server_id, 1 from due where server_id not in (select server_id from asked)),
        taken as (
          select c.server_id from server_checks c
            where c.tenant_id = ${tenantId} and c.enabled and ${free}
              and c.server_id = any (array(select f.server_id from first f order by f.turn limit ${limit}))
            order by c.server_id for no key update skip locked),
        held as (update server_checks c set leased_until = now() + make_interval(secs => ${CHECK_LEASE_SECONDS})
          from taken t where c.tenant_id = ${tenantId} and c.server_id = t.server_id returning c.server_id)
        select server_id as id from held`,
  );
  return claimed.map(({ id }) => id);
}

/** Releases servers whose check did not end, so that other workers can claim them immediately. */
export async function releaseChecks(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<void> {
  await affected(
    tx,
    sql`with given as materialized (
        select server_id from server_checks where tenant_id = ${tenantId} and server_id = any (${ids})
          -- A transaction that locks a row also locks the server. This does not wait for it: the lease expires, or that transaction ends it.
          order by server_id for no key update skip locked)
      update server_checks c set leased_until = null from given g where c.tenant_id = ${tenantId} and c.server_id = g.server_id`,
  );
}
