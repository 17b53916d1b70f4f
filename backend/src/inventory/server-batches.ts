import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { affected, sql } from '../common/database/sql.js';
import { Server } from './fields/server.entity.js';
import { ServerViews } from './server-views.js';

const SERVERS_PER_BATCH = 250;

export function splitIntoBatches<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / SERVERS_PER_BATCH);
  return Array.from({ length: count }, (_, index) =>
    all.slice(index * SERVERS_PER_BATCH, (index + 1) * SERVERS_PER_BATCH),
  );
}

export interface AuditedServerChange {
  id: string;
  before: Server | null;
  additions?: { before: object; after: object };
}

/** Stores thousands of servers in batches, with an audit entry for each server. */
@Injectable()
export class ServerBatches {
  constructor(
    private readonly audit: AuditTrail,
    private readonly views: ServerViews,
  ) {}

  async readServers(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Map<string, Server>> {
    const found = await tx
      .getRepository(Server)
      .createQueryBuilder('server')
      .where('server.tenantId = :tenantId and server.id = any(:ids)', { tenantId, ids })
      .getMany();
    return new Map(found.map((server) => [server.id, server]));
  }

  async removeServers(tx: EntityManager, caller: Principal, servers: readonly Server[]): Promise<void> {
    const ids = servers.map(({ id }) => id);
    await affected(tx, sql`delete from servers where tenant_id = ${caller.tenantId} and id = any (${ids})`);
    const viewOf = await this.views.loadAuditedServers(tx, servers);
    for (const server of servers)
      await this.audit.recordChange(tx, caller, {
        action: 'server.delete',
        before: viewOf(server),
      });
  }

  async recordAudit(tx: EntityManager, caller: Principal, stored: readonly AuditedServerChange[]): Promise<void> {
    const byId = await this.readServers(
      tx,
      caller.tenantId,
      stored.map(({ id }) => id),
    );
    const viewOf = await this.views.loadAuditedServers(tx, [
      ...stored.flatMap(({ before }) => before ?? []),
      ...byId.values(),
    ]);
    for (const { id, before, additions: noted } of stored) {
      const after = byId.get(id);
      if (!after) throw new Error(`Server ${id} was stored but cannot be read.`);
      await this.audit.recordChange(tx, caller, {
        action: before ? 'server.update' : 'server.create',
        ...(before ? { before: { ...viewOf(before), ...noted?.before } } : {}),
        after: { ...viewOf(after), ...noted?.after },
      });
    }
  }
}
