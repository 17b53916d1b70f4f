import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { likePattern, type Page } from '../common/http/paging/page.js';
import { NAMED_RECORD, readPage, type SortColumns } from '../common/http/paging/sorted-page.js';
import { isInVisibleEnvironment, NAMED_CALLER } from '../environments/visible-environment.js';
import type { Selector } from './selectors/selector.js';
import { selectorSql } from './selectors/selector-sql.js';
import { Server } from './server.entity.js';
import { selectorOf } from './server-lookup.js';
import { ServerViews } from './server-views.js';
import type { ListServersQuery } from './servers.dto.js';
import type { ServerView } from './servers.view.js';

const SORTS: SortColumns = {
  ...NAMED_RECORD,
  state: { column: 'state', kind: 'word' },
  checkedAt: { column: 'checked_at', kind: 'time', orNever: true },
};

/** Lists the servers that a caller may see: one statement a page, whatever it is asked for. */
@Injectable()
export class ServerList {
  constructor(
    private readonly units: UnitOfWork,
    private readonly views: ServerViews,
  ) {}

  /** @throws Problem 400 `invalid_selector`, `invalid_cursor` */
  list(caller: Principal, query: ListServersQuery): Promise<Page<ServerView>> {
    const selector = selectorOf(query.selector ?? '', '?selector');
    return this.units.run(caller.tenantId, async (tx) => {
      const select = this.select(tx, caller, query, selector);
      const { items, nextCursor } = await readPage(select, query, (server) => server, SORTS);
      return { items: items.map(await this.views.of(tx, items)), nextCursor };
    });
  }

  private select(tx: EntityManager, caller: Principal, query: ListServersQuery, selector: Selector) {
    const matched = selectorSql(selector, 'server');
    const select = tx
      .getRepository(Server)
      .createQueryBuilder('server')
      .where('server.tenantId = :tenantId', caller)
      .andWhere(isInVisibleEnvironment('server', NAMED_CALLER))
      .andWhere(matched.sql, matched.parameters);
    if (query.name !== undefined) select.andWhere('lower(server.name) = lower(:exactName)', { exactName: query.name });
    if (query.q)
      select.andWhere('(server.name ilike :part or server.hostname ilike :part)', { part: likePattern(query.q) });
    if (query.environmentId !== undefined) select.andWhere('server.environmentId = :environmentId', query);
    if (query.state) select.andWhere('server.state = any (:states::text[])', { states: query.state });
    if (query.enabled !== undefined) select.andWhere('server.enabled = :enabled', query);
    return select;
  }
}
