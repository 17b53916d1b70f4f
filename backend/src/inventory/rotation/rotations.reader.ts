import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { row, rows, sql, type Sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { notFound } from '../../common/errors/problem.js';
import { encodeCursor, readCursor } from '../../common/http/paging/cursor.js';
import { DEFAULT_PAGE_LIMIT, toLikePattern, type Page } from '../../common/http/paging/page.js';
import { ListOrder } from '../../common/http/paging/sorted-page.js';
import { isId } from '../../common/ids.js';
import { isInVisibleEnvironmentSql } from '../../environments/environments.sql.js';
import { MEMBERS } from '../../tenancy/directory/members.sql.js';
import type { RotationHostStatus } from './rotation-record.js';
import type { RotationCountsView, RotationHostView, RotationView } from './rotation.view.js';
import type { ListRotationHostsQuery, ListRotationsQuery } from './rotations.dto.js';
import { ReasonCode } from '../../common/errors/reason-codes.js';
import { toReason } from '../../common/http/reason.view.js';

const POLL_INTERVAL_MS = 250;
const NO_COUNTS: RotationCountsView = {
  pending: 0,
  installed: 0,
  switched: 0,
  done: 0,
  failed: 0,
  given_up: 0,
  left: 0,
};

interface RotationRow {
  id: string;
  keyName: string;
  oldKeyId: string | null;
  newKeyId: string | null;
  oldFingerprint: string;
  newFingerprint: string;
  createdBy: string;
  createdByName: string;
  createdAt: Date;
  finishedAt: Date | null;
  counts: Partial<Record<RotationHostStatus, number>> | null;
}

/** The server's current environment decides who may see the host. */
const ROTATION_HOSTS_SQL = sql`(select h.*, coalesce(s.environment_id, h.environment_id) as environment_now
  from key_rotation_hosts h left join servers s on s.tenant_id = h.tenant_id and s.id = h.server_id)`;
const isHostVisibleToSql = (caller: Principal): Sql =>
  sql`exists (select 1 from (select h.tenant_id, h.environment_now as environment_id) x
    where ${isInVisibleEnvironmentSql(sql.raw('x'), caller)})`;

const rotationColumnsSql = (
  caller: Principal,
): Sql => sql`r.id, r.key_name as "keyName", r.old_key_id as "oldKeyId", r.new_key_id as "newKeyId",
  r.old_fingerprint as "oldFingerprint", r.new_fingerprint as "newFingerprint", r.created_by as "createdBy",
  coalesce(u.name, r.requested_by->>'name', '') as "createdByName", r.created_at as "createdAt", r.finished_at as "finishedAt",
  (select json_object_agg(c.state, c.count) from (select h.state, count(*)::int as count from ${ROTATION_HOSTS_SQL} h
    where h.tenant_id = r.tenant_id and h.rotation_id = r.id and ${isHostVisibleToSql(caller)} group by h.state) c) as counts`;
const ROTATIONS_FROM_SQL = sql`key_rotations r left join ${MEMBERS} u on u.tenant_id = r.tenant_id and u.id = r.created_by`;

/**
 * Reads rotations. Every member sees all rotations, as with keys, but only the hosts whose servers the member may see.
 */
@Injectable()
export class RotationsReader {
  constructor(private readonly units: UnitOfWork) {}

  /** @param seconds maximum time to wait for the end. @throws Problem 404 */
  async get(caller: Principal, id: string, seconds = 0): Promise<RotationView> {
    const deadline = performance.now() + seconds * 1000;
    for (;;) {
      const view = await this.units.run(caller.tenantId, (tx) => this.find(tx, caller, id));
      const left = deadline - performance.now();
      if (!view.open || left <= 0) return view;
      await wait(Math.min(POLL_INTERVAL_MS, left));
    }
  }

  list(caller: Principal, query: ListRotationsQuery): Promise<Page<RotationView>> {
    const { sshKeyId, open, limit = DEFAULT_PAGE_LIMIT } = query;
    const order = new ListOrder(query, {}, 'r');
    return this.units.run(caller.tenantId, async (tx) => {
      const conditions = [
        sql`r.tenant_id = ${caller.tenantId}`,
        ...(sshKeyId === undefined ? [] : [sql`${sshKeyId}::uuid in (r.old_key_id, r.new_key_id)`]),
        ...(open === undefined ? [] : [sql.raw(open ? 'r.finished_at is null' : 'r.finished_at is not null')]),
        ...order.afterCursorSql(),
      ];
      const found = await rows(
        tx,
        sql<RotationRow & { sort_key: null }>`
          select ${rotationColumnsSql(caller)}, ${order.key} as sort_key from ${ROTATIONS_FROM_SQL}
            where ${sql.all(conditions)} order by ${order.orderBy} limit ${limit + 1}`,
      );
      return order.toPage(found, limit, toView);
    });
  }

  /** Oldest server first. @throws Problem 404 */
  listHosts(
    caller: Principal,
    id: string,
    { status, q, cursor, limit = DEFAULT_PAGE_LIMIT }: ListRotationHostsQuery,
  ): Promise<Page<RotationHostView>> {
    const place = readCursor(cursor, ['id']);
    return this.units.run(caller.tenantId, async (tx) => {
      await this.find(tx, caller, id);
      const conditions = [
        sql`h.tenant_id = ${caller.tenantId} and h.rotation_id = ${id}`,
        ...(status ? [sql`h.state = any (${status})`] : []),
        ...(q ? [sql`h.name ilike ${toLikePattern(q)}`] : []),
        isHostVisibleToSql(caller),
        ...(place ? [sql`h.server_id > ${place[0]}::uuid`] : []),
      ];
      const found = await rows(
        tx,
        sql<
          Omit<RotationHostView, 'updatedAt' | 'reason'> & {
            updatedAt: Date;
            code: ReasonCode | null;
            message: string | null;
          }
        >`select h.server_id as "serverId", h.name, h.environment_now as "environmentId", h.state as status, h.code, h.message, h.visits as attempts,
            h.updated_at as "updatedAt"
          from ${ROTATION_HOSTS_SQL} h where ${sql.all(conditions)} order by h.server_id limit ${limit + 1}`,
      );
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        items: page.map(({ code, message, ...host }) => ({
          ...host,
          reason: toReason(code, message),
          updatedAt: host.updatedAt.toISOString(),
        })),
        nextCursor: found.length > limit && last ? encodeCursor([last.serverId]) : null,
      };
    });
  }

  /** @throws Problem 404 */
  async find(tx: EntityManager, caller: Principal, id: string): Promise<RotationView> {
    const rotation = isId(id)
      ? await row(
          tx,
          sql<RotationRow>`select ${rotationColumnsSql(caller)} from ${ROTATIONS_FROM_SQL}
            where r.tenant_id = ${caller.tenantId} and r.id = ${id}`,
        )
      : undefined;
    if (!rotation) throw notFound();
    return toView(rotation);
  }
}

const toView = (row: RotationRow): RotationView => ({
  id: row.id,
  keyName: row.keyName,
  oldKey: { id: row.oldKeyId, fingerprint: row.oldFingerprint },
  newKey: { id: row.newKeyId, fingerprint: row.newFingerprint },
  open: row.finishedAt === null,
  counts: { ...NO_COUNTS, ...row.counts },
  createdBy: { id: row.createdBy, name: row.createdByName },
  createdAt: row.createdAt.toISOString(),
  finishedAt: row.finishedAt?.toISOString() ?? null,
});
