import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../../common/access/principal.js';
import { row, rows, sql } from '../../../common/database/sql.js';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { notFound, type OtherServerItem } from '../../../common/errors/problem.js';
import { encodeCursor, readCursor } from '../../../common/http/paging/cursor.js';
import { DEFAULT_PAGE_LIMIT, toLikePattern, type Page } from '../../../common/http/paging/page.js';
import { ListOrder } from '../../../common/http/paging/sorted-page.js';
import { isId } from '../../../common/ids.js';
import { EnvironmentReader } from '../../../environments/environment.reader.js';
import { filterStoredServers } from '../../../environments/visible-servers.js';
import { isInVisibleEnvironmentSql } from '../../../environments/environments.sql.js';
import { MEMBERS } from '../../../tenancy/directory/members.sql.js';
import type { ImportOrder, NotCarriedRow, PlannedEntry, StoredFault } from './import-record.js';
import type { ImportCountsView, ImportEntryView, ImportStatus, ImportView } from './import.view.js';
import { type ListImportEntriesQuery, type ListImportsQuery, ImportAction } from './imports.dto.js';
import { ReasonCode } from '../../../common/errors/reason-codes.js';
import { toReason } from '../../../common/http/reason.view.js';

const POLL_INTERVAL_MS = 250;
const MAX_NOT_CARRIED = 100;

interface ImportRow extends Omit<ImportOrder, 'notCarried'> {
  id: string;
  notCarried: NotCarriedRow[];
  state: ImportStatus;
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

const IMPORT_ALIAS_SQL = sql.raw('i');
const IMPORT_COLUMNS_SQL = sql`i.id, i.environment_id as "environmentId", i.state, i.preview, i.format, i.source, i.prune,
  i.prune_limit_percent as "pruneLimitPercent", i.skip_faulty as "skipFaulty", i.ssh_key_id as "sshKeyId", i.username, i.total, i.processed, i.counts,
  i.not_carried as "notCarried", i.more_not_carried as "moreNotCarried", i.faults, i.more_faults as "moreFaults", i.other_servers as others, i.digest,
  i.expected_digest as "expectedDigest", i.confirm_hosts as "confirmHosts", i.preview_id as "previewId", i.created_by as "createdBy", coalesce(u.name, i.requested_by->>'name', '') as "createdByName",
  i.created_at as "createdAt", i.started_at as "startedAt", i.finished_at as "finishedAt"`;
const IMPORTS_FROM_SQL = sql`inventory_imports i left join ${MEMBERS} u on u.tenant_id = i.tenant_id and u.id = i.created_by`;

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
      const { found, others } = await this.units.run(caller.tenantId, async (tx) => {
        const stored = await this.find(tx, caller, id);
        return { found: stored, others: await this.loadOtherServers(tx, caller, stored) };
      });
      const left = deadline - performance.now();
      if (found.finishedAt !== null || left <= 0) return toView(found, others);
      // Waits without a database connection.
      await wait(Math.min(POLL_INTERVAL_MS, left));
    }
  }

  list(caller: Principal, query: ListImportsQuery): Promise<Page<ImportView>> {
    const { environmentId, limit = DEFAULT_PAGE_LIMIT } = query;
    const order = new ListOrder(query, {}, 'i');
    return this.units.run(caller.tenantId, async (tx) => {
      const conditions = [
        sql`i.tenant_id = ${caller.tenantId}`,
        isInVisibleEnvironmentSql(IMPORT_ALIAS_SQL, caller),
        ...(environmentId === undefined ? [] : [sql`i.environment_id = ${environmentId}`]),
        ...order.afterCursorSql(),
      ];
      const found = await rows(
        tx,
        sql<
          ImportRow & { sort_key: string | null }
        >`select ${IMPORT_COLUMNS_SQL}, ${order.key} as sort_key from ${IMPORTS_FROM_SQL}
          where ${sql.all(conditions)} order by ${order.orderBy} limit ${limit + 1}`,
      );
      const page = order.toPage(found, limit, (each) => each);
      const items: ImportView[] = [];
      for (const each of page.items) items.push(toView(each, await this.loadOtherServers(tx, caller, each)));
      return { ...page, items };
    });
  }

  private loadOtherServers(tx: EntityManager, caller: Principal, { others }: ImportRow): Promise<OtherServersView> {
    return filterStoredServers(this.environments, tx, caller, others);
  }

  /** Lists the action for each server, in text order. @throws Problem 404 */
  entries(
    caller: Principal,
    id: string,
    { action, q, cursor, limit = DEFAULT_PAGE_LIMIT }: ListImportEntriesQuery,
  ): Promise<Page<ImportEntryView>> {
    const place = readCursor(cursor, ['ordinal']);
    return this.units.run(caller.tenantId, async (tx) => {
      await this.find(tx, caller, id);
      const conditions = [
        sql`tenant_id = ${caller.tenantId} and import_id = ${id}`,
        // Entries have no action until the import is planned.
        sql`action is not null`,
        ...(action === undefined ? [] : [sql`action = any (${action})`]),
        ...(q ? [sql`name ilike ${toLikePattern(q)}`] : []),
        ...(place ? [sql`position > ${place[0]}`] : []),
      ];
      const found = await rows(
        tx,
        // The condition excludes null. `coalesce` shows that to `npm run lint:sql`.
        sql<PlannedEntry>`select position, line, name, coalesce(action, '') as action, server_id as "serverId", changes, reason
          from inventory_import_entries where ${sql.all(conditions)} order by position limit ${limit + 1}`,
      );
      const pageRows = found.slice(0, limit);
      const last = pageRows.at(-1);
      return {
        items: pageRows.map(({ position: _, reason, ...entry }) => ({
          ...entry,
          reason: toReason(reason === null ? null : (ENTRY_REASONS[entry.action] ?? 'server_kept'), reason),
        })),
        nextCursor: found.length > limit && last ? encodeCursor([last.position]) : null,
      };
    });
  }

  /** @throws Problem 404 */
  async getOrder(
    tx: EntityManager,
    caller: Principal,
    id: string,
  ): Promise<{ order: ImportOrder; total: number; digest: string | null; state: ImportStatus }> {
    const found = await this.find(tx, caller, id);
    return { order: found, total: found.total, digest: found.digest, state: found.state };
  }

  private async find(tx: EntityManager, caller: Principal, id: string): Promise<ImportRow> {
    const found = isId(id)
      ? await row(
          tx,
          sql<ImportRow>`select ${IMPORT_COLUMNS_SQL} from ${IMPORTS_FROM_SQL}
            where i.tenant_id = ${caller.tenantId} and i.id = ${id} and ${isInVisibleEnvironmentSql(IMPORT_ALIAS_SQL, caller)}`,
        )
      : undefined;
    if (!found) throw notFound();
    return found;
  }
}

type OtherServersView = Pick<ImportView, 'otherServers' | 'hiddenServers'>;

const ENTRY_REASONS: Readonly<Partial<Record<ImportAction, ReasonCode>>> = {
  skip: 'server_skipped',
  refuse: 'server_refused',
};

const toView = (row: ImportRow, { otherServers, hiddenServers }: OtherServersView): ImportView => ({
  id: row.id,
  environmentId: row.environmentId,
  status: row.state,
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
  notCarried: row.notCarried
    .slice(0, MAX_NOT_CARRIED)
    .map((part) => ({ ...part, reason: { code: 'not_imported', text: part.reason } })),
  moreNotCarried: row.moreNotCarried + Math.max(0, row.notCarried.length - MAX_NOT_CARRIED),
  faults: row.faults.map(({ line, entry, code, message }) => ({ line, entry, reason: { code, text: message } })),
  moreFaults: row.moreFaults,
  otherServers,
  hiddenServers,
  digest: row.digest,
  createdBy: { id: row.createdBy, name: row.createdByName },
  createdAt: row.createdAt.toISOString(),
  startedAt: row.startedAt?.toISOString() ?? null,
  finishedAt: row.finishedAt?.toISOString() ?? null,
});
