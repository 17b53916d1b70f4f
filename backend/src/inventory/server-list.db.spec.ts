import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ServerStock, type StockTenant, startServerStock } from '../../test/support/server-database.js';
import { queryAs } from '../../test/support/table-contents.js';
import type { Principal, Role } from '../common/access/principal.js';
import { newId } from '../common/ids.js';
import { SharedHostKeys } from './machines/same-host-keys.js';
import { RunTargetsReader } from './run-targets.reader.js';
import { parseSelector } from './selectors/selector.js';
import { ServerList } from './server-list.js';
import { ServerViews } from './server-views.js';
import type { ListServersQuery } from './servers.dto.js';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: PlanNode[];
}

let stock: ServerStock;
let list: ServerList;
let large: StockTenant;

/** Few servers are unreachable. One in 500 has a given `rack`, one in 10 a given `role`. */
const fill = (tenant: StockTenant, count: number) =>
  queryAs(
    stock.database,
    tenant,
    `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags, state, state_since,
        checked_at, updated_at)
      select gen_random_uuid(), $1, $1, 'host-' || n, 'host-' || n || '.invalid', 22, 'a', $1,
        jsonb_build_object('rack', 'r' || n % 500, 'role', 'role-' || n % 10, 'serial', 's' || n),
        case when n % 20 = 0 then 'unchecked' when n % 400 = 1 then 'unreachable' else 'reachable' end,
        case when n % 20 > 0 then now() end, case when n % 20 > 0 then now() - n * interval '1 second' end,
        now() - n * interval '1 minute'
      from generate_series(1, $2::int) n`,
    [tenant, count],
  );

beforeAll(async () => {
  stock = await startServerStock();
  list = new ServerList(stock.units, new ServerViews(new SharedHostKeys()));
  large = await stock.tenant('large');
  await fill(large, 10_000);
  for (const name of ['other', 'third', 'fourth']) await fill(await stock.tenant(name), 5_000);
  await stock.database.query('analyze servers, server_labels');
});
afterAll(() => stock.close());

const caller = (role: Role): Principal => ({ tenantId: large, userId: newId(), role, limits: null }) as Principal;

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

async function indexesUsed(): Promise<string[]> {
  const { sql, parameters } = stock.statements.findLast((each) => each.sql.startsWith('SELECT "server"')) ?? {
    sql: '',
    parameters: [],
  };
  const [row] = await stock.units.run(large, (tx) =>
    tx.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(`explain (format json) ${sql}`, parameters),
  );
  const nodes = nodesOf(row?.['QUERY PLAN'][0]?.Plan as PlanNode);
  expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'])).not.toContain(
    'servers',
  );
  return nodes.flatMap((node) => node['Index Name'] ?? []);
}

async function indexesOf(query: ListServersQuery, role: Role = 'admin'): Promise<string[]> {
  await list.list(caller(role), query);
  return indexesUsed();
}

describe('list of 10,000 servers of one tenant among several', () => {
  it.each<[string, ListServersQuery, string]>([
    ['a tag', { selector: 'rack=r7' }, 'server_labels_value'],
    ['several tags', { selector: 'rack in (r7, r8),role=role-7,!gone' }, 'server_labels_value'],
    ['a name', { selector: 'name=host-77' }, 'servers_name_prefix'],
    ['the beginning of names', { selector: 'name in (host-77*, host-9?3)' }, 'servers_name_prefix'],
    ['a state', { state: ['unreachable'] }, 'servers_state'],
    ['several states', { state: ['unreachable', 'login_refused'], enabled: true }, 'servers_state'],
  ])('finds servers by %s in an index', async (_, query, index) => {
    for (const role of ['admin', 'viewer'] as const) expect(await indexesOf(query, role)).toContain(index);
  });

  it.each([
    ['createdAt', 'servers_'],
    ['name', 'servers_name'],
    ['updatedAt', 'servers_updated'],
    ['state', 'servers_state'],
    ['checkedAt', 'servers_checked'],
  ])('reads the order of %s from an index, on the first page and the next', async (field, index) => {
    for (const sort of [field, `-${field}`]) {
      const first = await list.list(caller('viewer'), { sort });
      expect(await indexesUsed()).toContainEqual(expect.stringContaining(index));
      await list.list(caller('viewer'), { sort, cursor: first.nextCursor ?? '' });
      expect(await indexesUsed()).toContainEqual(expect.stringContaining(index));
    }
  });

  it('returns pages in the order of checks, with servers that were never checked first', async () => {
    const names: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list.list(caller('admin'), {
        sort: 'checkedAt',
        selector: 'rack in (r0, r1, r2)',
        limit: 7,
        cursor,
      });
      names.push(...page.items.map(({ name, checkedAt }) => `${checkedAt === null ? 'never' : 'checked'} ${name}`));
      cursor = page.nextCursor;
    }
    const numbers = Array.from({ length: 10_000 }, (__, at) => at + 1).filter((n) => n % 500 < 3);
    const checked = numbers.filter((n) => n % 20 > 0).sort((a, b) => b - a);
    expect(names.slice(0, 20).sort()).toEqual(
      numbers
        .filter((n) => n % 20 === 0)
        .map((n) => `never host-${n}`)
        .sort(),
    );
    expect(names.slice(20)).toEqual(checked.map((n) => `checked host-${n}`));
  });
});

describe('run targets among 10,000 servers', () => {
  it('are found by tags in an index, and sorted by name', async () => {
    const selectors = [parseSelector('rack in (r7, r8)'), parseSelector('role=role-7')];
    const found = await stock.units.run(large, (tx) =>
      new RunTargetsReader().resolveTargets(tx, caller('admin'), large, selectors),
    );
    const expected = Array.from({ length: 20 }, (_, at) => `host-${at * 500 + 7}`).sort();
    expect(found.map(({ name }) => name)).toEqual(expected);
    expect(await indexesUsed()).toContain('server_labels_value');
  });
});
