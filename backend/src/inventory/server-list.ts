import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { sql, whereSql } from '../common/database/sql.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { toLikePattern, type Page } from '../common/http/paging/page.js';
import { NAMED_RECORD_COLUMNS, readPage, type SortColumns } from '../common/http/paging/sorted-page.js';
import { isInVisibleEnvironmentSql } from '../environments/environments.sql.js';
import { type Selector, isSelectedSql } from './selectors/selector.js';
import { protectionStateSql } from './machines/protection-state.js';
import { Server } from './fields/server.entity.js';
import { parseSelectorAt } from './server-lookup.js';
import { ServerViews } from './server-views.js';
import type { ListServersQuery } from './servers.dto.js';
import type { ServerView } from './servers.view.js';

const SORT_COLUMNS: SortColumns = {
  ...NAMED_RECORD_COLUMNS,
  state: { column: 'state', kind: 'word' },
  checkedAt: { column: 'checked_at', kind: 'time', nullsLast: true },
};

interface CountedServerPage extends Page<ServerView> {
  total?: number;
}

/** Lists the servers that a caller can see. One statement per page serves any filter. */
@Injectable()
export class ServerList {
  constructor(
    private readonly units: UnitOfWork,
    private readonly views: ServerViews,
  ) {}

  /** @throws Problem 400 `invalid_selector`, `invalid_cursor` */
  list(caller: Principal, query: ListServersQuery): Promise<CountedServerPage> {
    const selector = parseSelectorAt(query.selector ?? '', '?selector');
    return this.units.run(caller.tenantId, async (tx) => {
      const select = selectServers(tx, caller, query, selector);
      const total = query.count ? { total: await select.getCount() } : {};
      const { items, nextCursor } = await readPage(select, query, (server) => server, SORT_COLUMNS);
      return { items: items.map(await this.views.loadViews(tx, items)), nextCursor, ...total };
    });
  }
}

export type ServerFilters = Omit<ListServersQuery, 'limit' | 'cursor' | 'sort' | 'selector' | 'count'>;

/** Returns a query for the servers that the caller can see and the filters match. */
export function selectServers(tx: EntityManager, caller: Principal, filters: ServerFilters, selector: Selector) {
  const server = sql.raw('server');
  const select = tx
    .getRepository(Server)
    .createQueryBuilder('server')
    .where('server.tenantId = :tenantId', { tenantId: caller.tenantId });
  whereSql(select, isInVisibleEnvironmentSql(server, caller));
  whereSql(select, isSelectedSql(selector, server));
  if (filters.name !== undefined)
    select.andWhere('lower(server.name) = lower(:exactName)', { exactName: filters.name });
  if (filters.q)
    select.andWhere('(server.name ilike :part or server.hostname ilike :part)', { part: toLikePattern(filters.q) });
  if (filters.environmentId !== undefined)
    select.andWhere('server.environmentId = :environmentId', { environmentId: filters.environmentId });
  if (filters.state) select.andWhere('server.state = any (:states::text[])', { states: filters.state });
  if (filters.protection) whereSql(select, sql`${protectionStateSql(server)} = any (${filters.protection}::text[])`);
  if (filters.enabled !== undefined) select.andWhere('server.enabled = :enabled', { enabled: filters.enabled });
  return select;
}
