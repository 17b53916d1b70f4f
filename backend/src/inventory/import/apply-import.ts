import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { RESOURCE } from '../server-changes.js';
import { Server } from '../server.entity.js';
import { ServerViews } from '../server-views.js';
import { ServerVariableStore } from '../variables/server-variable-store.js';
import type { ImportPlan, ServerWrite } from './plan-import.js';

/** Servers that one statement stores. */
const AT_ONCE = 250;

/** Stores what an import has planned, with an audit entry for each server. */
@Injectable()
export class ApplyImport {
  constructor(
    private readonly audit: AuditTrail,
    private readonly views: ServerViews,
    private readonly variables: ServerVariableStore,
  ) {}

  /** @param told says now and then how many servers have been stored */
  async apply(
    tx: EntityManager,
    caller: Principal,
    { writes, removals }: ImportPlan,
    told: (done: number) => Promise<void>,
  ): Promise<void> {
    // The database checks each label's server by a plan that it keeps: made while the table was small, it reads all of
    // the table for each of them, and thousands of servers come to be there before anything plans it anew.
    await tx.query(`select set_config('plan_cache_mode', 'force_custom_plan', true)`);
    await this.remove(tx, caller, removals);
    const changed = writes.filter(({ before }) => before !== null);
    await makeRoom(tx, caller.tenantId, changed);
    let done = 0;
    for (const [some, store] of [
      ...batches(changed).map((each) => [each, update] as const),
      ...batches(writes.filter(({ before }) => before === null)).map((each) => [each, insert] as const),
    ]) {
      await store(tx, caller.tenantId, some);
      await this.variables.set(
        tx,
        caller,
        some.map(({ id, variables }) => ({ serverId: id, values: variables.after })),
      );
      await this.record(tx, caller, some);
      done += some.length;
      await told(done);
    }
  }

  private async remove(tx: EntityManager, caller: Principal, servers: readonly Server[]): Promise<void> {
    for (const some of batches(servers)) {
      await tx.query('delete from servers where tenant_id = $1 and id = any ($2)', [
        caller.tenantId,
        some.map(({ id }) => id),
      ]);
      const shown = await this.views.of(tx, some);
      for (const server of some)
        await this.audit.recordChange(tx, caller, {
          action: 'server.delete',
          resourceType: RESOURCE,
          before: shown(server),
        });
    }
  }

  private async record(tx: EntityManager, caller: Principal, writes: readonly ServerWrite[]): Promise<void> {
    const stored = await tx
      .getRepository(Server)
      .createQueryBuilder('server')
      .where('server.tenantId = :tenantId and server.id = any(:ids)', {
        tenantId: caller.tenantId,
        ids: writes.map(({ id }) => id),
      })
      .getMany();
    const byId = new Map(stored.map((server) => [server.id, server]));
    const known = writes.flatMap(({ before }) => before ?? []);
    const shown = await this.views.of(tx, [...known, ...stored]);
    for (const { id, before, variables } of writes) {
      const noted = Object.keys(variables.after).length > 0;
      const after = byId.get(id);
      if (!after) throw new Error('A server that was just stored is not there.');
      await this.audit.recordChange(tx, caller, {
        action: before ? 'server.update' : 'server.create',
        resourceType: RESOURCE,
        ...(before ? { before: { ...shown(before), ...(noted ? { variables: variables.before } : {}) } } : {}),
        after: { ...shown(after), ...(noted ? { variables: variables.after } : {}) },
      });
    }
  }
}

function batches<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / AT_ONCE);
  return Array.from({ length: count }, (_, index) => all.slice(index * AT_ONCE, (index + 1) * AT_ONCE));
}

/** Takes names and machines from those that get others, so that servers may exchange them. */
async function makeRoom(tx: EntityManager, tenantId: string, changed: readonly ServerWrite[]): Promise<void> {
  await tx.query(
    `update servers set name = 'renaming ' || id, known_double = true where tenant_id = $1 and id = any ($2)`,
    [tenantId, changed.filter((write) => isRenamed(write) || isAnother(write)).map(({ id }) => id)],
  );
}

const isRenamed = ({ before, after }: ServerWrite) => before !== null && before.name !== after.name;
const isReaddressed = ({ before, after }: ServerWrite) =>
  before !== null && (before.hostname !== after.hostname || before.port !== after.port);
const isAnother = (write: ServerWrite) =>
  isReaddressed(write) ||
  (write.before !== null &&
    (write.before.username !== write.after.username || write.before.environmentId !== write.after.environmentId));

const COLUMNS = `id uuid, name text, hostname text, port int, username text, "sshKeyId" uuid, "environmentId" uuid, tags jsonb,
  enabled boolean, "externalSource" text, "externalId" text, "hostKey" jsonb, forget boolean, double boolean, pruned boolean`;

const rowOf = (write: ServerWrite) => {
  const {
    before,
    after: { variables: _, ...after },
  } = write;
  const repinned = before !== null && before.hostKey?.fingerprint !== after.hostKey?.fingerprint;
  return {
    id: write.id,
    ...after,
    forget: isReaddressed(write) || repinned,
    double: before !== null && before.knownDouble && !isAnother(write),
    pruned: write.pruned,
  };
};

async function update(tx: EntityManager, tenantId: string, writes: readonly ServerWrite[]): Promise<void> {
  await tx.query(
    `update servers s set name = x.name, hostname = x.hostname, port = x.port, username = x.username,
        environment_id = x."environmentId", tags = x.tags, enabled = x.enabled, external_source = x."externalSource",
        external_id = x."externalId", host_key = x."hostKey", known_double = x.double, disabled_by_import = x.pruned,
        seen_host_key = case when x.forget then null else s.seen_host_key end,
        last_check = case when x.forget then null else s.last_check end,
        state = case when x.forget then 'unchecked' else s.state end,
        state_since = case when x.forget then null else s.state_since end,
        checked_at = case when x.forget then null else s.checked_at end,
        latency_ms = case when x.forget then null else s.latency_ms end,
        last_reached_address = case when x.forget then null else s.last_reached_address end,
        updated_at = now(), version = s.version + 1
      from jsonb_to_recordset($2::jsonb) as x (${COLUMNS}) where s.tenant_id = $1 and s.id = x.id`,
    [tenantId, JSON.stringify(writes.map(rowOf))],
  );
}

async function insert(tx: EntityManager, tenantId: string, writes: readonly ServerWrite[]): Promise<void> {
  await tx.query(
    `insert into servers (tenant_id, id, name, hostname, port, username, ssh_key_id, environment_id, tags, enabled,
        external_source, external_id, host_key)
      select $1, id, name, hostname, port, username, "sshKeyId", "environmentId", tags, enabled, "externalSource",
        "externalId", "hostKey"
      from jsonb_to_recordset($2::jsonb) as x (${COLUMNS})`,
    [tenantId, JSON.stringify(writes.map(rowOf))],
  );
}
