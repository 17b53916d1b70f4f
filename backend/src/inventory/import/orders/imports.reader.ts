import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../../common/access/principal.js';
import { allOf, conditionIf, StatementValues } from '../../../common/database/statement-values.js';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { notFound, type OtherServerItem } from '../../../common/errors/problem.js';
import { encodeCursor, readCursor } from '../../../common/http/paging/cursor.js';
import { DEFAULT_LIMIT, likePattern, type Page } from '../../../common/http/paging/page.js';
import { ListOrder } from '../../../common/http/paging/sorted-page.js';
import { isId } from '../../../common/ids.js';
import { EnvironmentReader } from '../../../environments/environment.reader.js';
import { visibleStoredServers } from '../../../environments/visible-servers.js';
import { isInVisibleEnvironment } from '../../../environments/visible-environment.js';
import { MEMBERS } from '../../../tenancy/directory/members.sql.js';
import type { ImportOrder, NotCarriedRow, PlannedEntry, StoredFault } from './import-record.js';
import type { ImportCountsView, ImportEntryView, ImportState, ImportView } from './import.view.js';
import type { ListImportEntriesQuery, ListImportsQuery } from './imports.dto.js';

const POLL_MS = 250;
const MAX_NOT_CARRIED = 100;

interface ImportRow extends Omit<ImportOrder, 'notCarried'> {
  id: string;
  notCarried: NotCarriedRow[];
  state: ImportState;
  total: number;
  processed: number;
  counts: ImportCountsView | null;
  faults: StoredFault[];
  moreFaults: number;
  others: OtherServerItem[];
  digest: string | null;
  previewId: string | null;
  createdBy: string;
  createdByName: string;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

const COLUMNS = `i.id, i.environment_id as "environmentId", i.state, i.preview, i.format, i.source, i.prune,
  i.prune_limit_percent as "pruneLimitPercent", i.skip_faulty as "skipFaulty", i.ssh_key_id as "sshKeyId", i.username, i.total, i.processed, i.counts,
  i.not_carried as "notCarried", i.more_not_carried as "moreNotCarried", i.faults, i.more_faults as "moreFaults", i.other_servers as others, i.digest,
  i.expected_digest as "expectedDigest", i.confirm_hosts as "confirmHosts", i.preview_id as "previewId", i.created_by as "createdBy", coalesce(u.name, i.requested_by->>'name', '') as "createdByName",
  i.created_at as "createdAt", i.started_at as "startedAt", i.finished_at as "finishedAt"`;
const IMPORTS_FROM = `inventory_imports i left join ${MEMBERS} u on u.tenant_id = i.tenant_id and u.id = i.created_by`;

/** Reads imports. A caller sees the imports into environments that the caller can see. */
@Injectable()
export class ImportsReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly environments: EnvironmentReader,
  ) {}

  /** @param seconds maximum time to wait for the end. @throws Problem 404 */
  async get(caller: Principal, id: string, seconds = 0): Promise<ImportView> {
    const deadline = performance.now() + seconds * 1000;
    for (;;) {
      const { row, others } = await this.units.run(caller.tenantId, async (tx) => {
        const found = await this.find(tx, caller, id);
        return { row: found, others: await this.othersOf(tx, caller, found) };
      });
      const left = deadline - performance.now();
      if (row.finishedAt !== null || left <= 0) return toView(row, others);
      // Waits without a database connection.
      await wait(Math.min(POLL_MS, left));
    }
  }

  list(caller: Principal, query: ListImportsQuery): Promise<Page<ImportView>> {
    const { environmentId, limit = DEFAULT_LIMIT } = query;
    const order = new ListOrder(query, {}, 'i');
    return this.units.run(caller.tenantId, async (tx) => {
      const values = new StatementValues(caller.tenantId, caller.role, caller.userId, caller.limits);
      const conditions = [
        'i.tenant_id = $1',
        isInVisibleEnvironment('i', { role: '$2', user: '$3', limits: '$4' }),
        ...conditionIf(values, environmentId, (environment) => `i.environment_id = ${environment}`),
        ...order.afterCursor(values),
      ];
      const rows = await tx.query<(ImportRow & { sort_key: null })[]>(
        `select ${COLUMNS}, ${order.key} as sort_key from ${IMPORTS_FROM}
          where ${allOf(conditions)} order by ${order.orderBy} limit ${values.of(limit + 1)}`,
        values.list,
      );
      const page = order.page(rows, limit, (row) => row);
      const items: ImportView[] = [];
      for (const row of page.items) items.push(toView(row, await this.othersOf(tx, caller, row)));
      return { ...page, items };
    });
  }

  private othersOf(tx: EntityManager, caller: Principal, { others }: ImportRow): Promise<ShownServers> {
    return visibleStoredServers(this.environments, tx, caller, others);
  }

  /** Lists the action for each server, in text order. @throws Problem 404 */
  entries(
    caller: Principal,
    id: string,
    { action, q, cursor, limit = DEFAULT_LIMIT }: ListImportEntriesQuery,
  ): Promise<Page<ImportEntryView>> {
    const place = readCursor(cursor, ['ordinal']);
    return this.units.run(caller.tenantId, async (tx) => {
      await this.find(tx, caller, id);
      const values = new StatementValues();
      const conditions = [
        `tenant_id = ${values.of(caller.tenantId)} and import_id = ${values.of(id)}`,
        // Entries have no action until the import is planned.
        'action is not null',
        ...conditionIf(values, action, (actions) => `action = any (${actions})`),
        ...conditionIf(values, q ? likePattern(q) : null, (pattern) => `name ilike ${pattern}`),
        ...conditionIf(values, place?.[0], (after) => `position > ${after}`),
      ];
      const rows = await tx.query<PlannedEntry[]>(
        `select position, line, name, action, server_id as "serverId", changes, reason from inventory_import_entries
          where ${allOf(conditions)} order by position limit ${values.of(limit + 1)}`,
        values.list,
      );
      const pageRows = rows.slice(0, limit);
      const last = pageRows.at(-1);
      return {
        items: pageRows.map(({ position: _, ...entry }) => entry),
        nextCursor: rows.length > limit && last ? encodeCursor([last.position]) : null,
      };
    });
  }

  /** @throws Problem 404 */
  async order(
    tx: EntityManager,
    caller: Principal,
    id: string,
  ): Promise<{ order: ImportOrder; total: number; digest: string | null; state: ImportState }> {
    const row = await this.find(tx, caller, id);
    return { order: row, total: row.total, digest: row.digest, state: row.state };
  }

  private async find(tx: EntityManager, caller: Principal, id: string): Promise<ImportRow> {
    const [row] = isId(id)
      ? await tx.query<ImportRow[]>(
          `select ${COLUMNS} from ${IMPORTS_FROM}
            where i.tenant_id = $1 and i.id = $5 and ${isInVisibleEnvironment('i', { role: '$2', user: '$3', limits: '$4' })}`,
          [caller.tenantId, caller.role, caller.userId, caller.limits, id],
        )
      : [];
    if (!row) throw notFound();
    return row;
  }
}

type ShownServers = Pick<ImportView, 'otherServers' | 'hiddenServers'>;

const toView = (row: ImportRow, { otherServers, hiddenServers }: ShownServers): ImportView => ({
  id: row.id,
  environmentId: row.environmentId,
  state: row.state,
  preview: row.preview,
  format: row.format,
  source: row.source,
  prune: row.prune,
  pruneLimitPercent: row.pruneLimitPercent,
  skipFaulty: row.skipFaulty,
  sshKeyId: row.sshKeyId,
  username: row.username,
  previewId: row.previewId,
  total: row.total,
  processed: row.processed,
  counts: row.counts,
  notCarried: row.notCarried.slice(0, MAX_NOT_CARRIED),
  moreNotCarried: row.moreNotCarried + Math.max(0, row.notCarried.length - MAX_NOT_CARRIED),
  faults: row.faults,
  moreFaults: row.moreFaults,
  otherServers,
  hiddenServers,
  digest: row.digest,
  createdBy: { id: row.createdBy, name: row.createdByName },
  createdAt: row.createdAt.toISOString(),
  startedAt: row.startedAt?.toISOString() ?? null,
  finishedAt: row.finishedAt?.toISOString() ?? null,
});
