import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { sql } from '../../common/database/sql.js';
import { conflict, notFound } from '../../common/errors/problem.js';
import { isId } from '../../common/ids.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { parseSelector, type Selector } from '../selectors/selector.js';
import { mapSettings, getSettingSpec } from '../fields/server-settings.js';
import { KNOWN_HOST_KEYS_SQL } from '../machines/proved-host-keys.js';
import { selectServers, type ServerFilters } from '../server-list.js';
import { parseSelectorAt } from '../server-lookup.js';
import { type BulkServersRequest, MAX_CHANGED_SERVERS } from './bulk-servers.dto.js';
import type { SelectedServer } from './plan-bulk.js';

/** Servers per batch. Larger batches would block the event loop. */
const SERVERS_PER_BATCH = 500;

const SELECTED_COLUMNS: Record<keyof SelectedServer, string> = {
  id: 'server.id',
  name: 'server.name',
  environmentId: 'server.environment_id',
  hostname: 'server.hostname',
  port: 'server.port',
  username: 'server.username',
  tags: 'server.tags',
  enabled: 'server.enabled',
  disabledByImport: 'server.disabled_by_import',
  ...mapSettings((setting) => `server.${getSettingSpec(setting).column}`),
  fingerprints: sql`array(select k.fingerprint from ${KNOWN_HOST_KEYS_SQL} k where k.tenant_id = server.tenant_id
    and k.server_id = server.id)`.render().text,
};

@Injectable()
export class BulkSelection {
  constructor(private readonly environments: EnvironmentReader) {}

  /**
   * @param lock whether to lock the servers until the transaction ends
   * @throws Problem 400 `invalid_selector`; 404 naming the ID; 409 `too_many_servers`
   */
  async findServers(
    tx: EntityManager,
    caller: Principal,
    { serverIds, filter = {} }: BulkServersRequest,
    lock: boolean,
  ): Promise<SelectedServer[]> {
    const { selector: text = '', ...filters } = filter;
    const selector = parseSelectorAt(text, '/filter/selector');
    if (filters.environmentId !== undefined)
      await this.environments.findVisibleEnvironment(tx, caller, filters.environmentId, '/filter/environmentId');
    if (serverIds) return this.findServersByIds(tx, caller, serverIds, lock);
    const ids = await findServerIds(tx, caller, filters, selector, undefined, lock);
    if (ids.length > MAX_CHANGED_SERVERS)
      throw conflict(
        'too_many_servers',
        `More than ${MAX_CHANGED_SERVERS.toLocaleString('en')} servers match. Narrow the filter.`,
      );
    return readServers(tx, caller, filters, selector, ids);
  }

  private async findServersByIds(
    tx: EntityManager,
    caller: Principal,
    serverIds: readonly string[],
    lock: boolean,
  ): Promise<SelectedServer[]> {
    // IDs are case-insensitive, and a repeated ID counts once.
    const requestedIds = [...new Set(serverIds.filter(isId).map((id) => id.toLowerCase()))];
    const all = parseSelector('');
    const ids = requestedIds.length === 0 ? [] : await findServerIds(tx, caller, {}, all, requestedIds, lock);
    const servers = await readServers(tx, caller, {}, all, ids);
    const found = new Set(servers.map(({ id }) => id));
    const missing = serverIds.findIndex((id) => !found.has(id.toLowerCase()));
    if (missing >= 0) throw notFound(`/serverIds/${missing}`);
    return servers;
  }
}

/**
 * Returns at most one ID more than the limit. IDs ascend, so that transactions lock in the same order and cannot
 * deadlock.
 */
async function findServerIds(
  tx: EntityManager,
  caller: Principal,
  filters: ServerFilters,
  selector: Selector,
  among: readonly string[] | undefined,
  lock: boolean,
): Promise<string[]> {
  const select = selectServers(tx, caller, filters, selector)
    .select('server.id', 'id')
    .orderBy('server.id')
    .limit(MAX_CHANGED_SERVERS + 1);
  if (among) select.andWhere('server.id = any(:among)', { among });
  const rows = await (lock ? select.setLock('for_no_key_update') : select).getRawMany<{ id: string }>();
  return rows.map(({ id }) => id);
}

/** Reads the servers that still match the filter: a server may have changed before it was locked. */
async function readServers(
  tx: EntityManager,
  caller: Principal,
  filters: ServerFilters,
  selector: Selector,
  ids: readonly string[],
): Promise<SelectedServer[]> {
  const found: SelectedServer[] = [];
  for (let from = 0; from < ids.length; from += SERVERS_PER_BATCH) {
    const select = selectServers(tx, caller, filters, selector)
      .andWhere('server.id = any(:among)', { among: ids.slice(from, from + SERVERS_PER_BATCH) })
      .orderBy('server.id')
      .select([]);
    for (const [name, column] of Object.entries(SELECTED_COLUMNS)) select.addSelect(column, name);
    found.push(...(await select.getRawMany<SelectedServer>()));
  }
  return found;
}
