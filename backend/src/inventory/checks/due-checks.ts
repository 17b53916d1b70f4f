import type { EntityManager } from 'typeorm';
import { ENVIRONMENTS } from '../../environments/environments.sql.js';

/** A check that was asked for and that no worker came to is forgotten after this, in seconds. */
export const REQUEST_LAPSES_SECONDS = 3_600;
/** A worker that was killed keeps nobody else from its servers for longer, in seconds; a check takes far less. */
const LEASE_SECONDS = 180;

/** Tenants that have a server to be checked now, in the order of their ids. Belongs in a unit without a tenant. */
export async function tenantsWithDueChecks(tx: EntityManager): Promise<string[]> {
  const rows = await tx.query<{ id: string }[]>('select tenants_with_due_checks($1) as id', [REQUEST_LAPSES_SECONDS]);
  return rows.map(({ id }) => id);
}

/**
 * Takes servers of the tenant that are to be checked now, those that somebody asked for first, then those that are due the
 * longest. Nobody else gets them until their check is stored or the lease is over.
 *
 * @returns their ids
 */
export async function claimDueChecks(tx: EntityManager, tenantId: string, most: number): Promise<string[]> {
  const free = '(s.check_leased_until is null or s.check_leased_until < now())';
  const rows = await tx.query<{ id: string }[]>(
    `with asked as (
          select s.id from servers s
            where s.tenant_id = $1 and s.enabled and s.check_requested_at is not null
              and s.check_requested_at > now() - make_interval(secs => $3) and ${free}
            order by s.check_requested_at limit $2),
        due as (
          select d.id from ${ENVIRONMENTS} e
            cross join lateral (
              select s.id, s.check_due_from + make_interval(secs => e.check_interval_seconds) as at from servers s
                where s.tenant_id = e.tenant_id and s.environment_id = e.id and s.enabled
                  and s.check_due_from <= now() - make_interval(secs => e.check_interval_seconds) and ${free}
                order by s.check_due_from limit $2) d
            where e.tenant_id = $1 and e.check_interval_seconds is not null
            order by d.at limit $2),
        first as (select id, 0 as turn from asked union select id, 1 from due where id not in (select id from asked)),
        taken as (
          select s.id from servers s
            where s.tenant_id = $1 and s.enabled and ${free}
              and s.id = any (array(select f.id from first f order by f.turn limit $2))
            order by s.id for no key update skip locked),
        held as (update servers s set check_leased_until = now() + make_interval(secs => $4)
          from taken t where s.tenant_id = $1 and s.id = t.id returning s.id)
        select id from held`,
    [tenantId, most, REQUEST_LAPSES_SECONDS, LEASE_SECONDS],
  );
  return rows.map(({ id }) => id);
}

/** Gives servers back whose check did not end, so that others take them at once. */
export async function releaseChecks(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<void> {
  await tx.query(
    `with given as materialized (
        select id from servers where tenant_id = $1 and id = any ($2) order by id for no key update)
      update servers s set check_leased_until = null from given g where s.tenant_id = $1 and s.id = g.id`,
    [tenantId, ids],
  );
}

/** Notes that these servers are to be checked as soon as possible. One that waits for it already does not wait anew. @returns the time */
export async function requestChecks(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Date> {
  await tx.query(
    `with given as materialized (
        select id from servers where tenant_id = $1 and id = any ($2)
            and (check_requested_at is null or check_requested_at <= now() - make_interval(secs => $3))
          -- Whoever stores at the same time must not wait for this in a circle.
          order by id for no key update)
      update servers s set check_requested_at = now() from given g where s.tenant_id = $1 and s.id = g.id`,
    [tenantId, ids, REQUEST_LAPSES_SECONDS],
  );
  const [row] = await tx.query<{ at: Date }[]>('select now() as at');
  return row?.at ?? new Date();
}
