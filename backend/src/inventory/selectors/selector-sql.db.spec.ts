import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { type ServerStock, type StockTenant, startServerStock } from '../../../test/support/server-database.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { sql, whereSql } from '../../common/database/sql.js';
import { newId } from '../../common/ids.js';
import { RunTargetsReader } from '../run-targets.reader.js';
import { Server } from '../fields/server.entity.js';
import { matchesSelector, parseSelector, type SelectorRequirement, type Selector, isSelectedSql } from './selector.js';

interface Stored {
  id: string;
  name: string;
  tags: Record<string, string>;
}

const SERVERS = 250;
const random = seededRandom(41);
/**
 * Characters that break patterns, sort orders and encodings: `\u{10ffff}` and `\ud7ff` are the last code points of
 * their ranges.
 */
const LETTERS = [
  ...['a', 'b', 'A', 'B', '%', '_', '\\', '.', '-', '^', '$', 'ä', 'Ä', 'ß', 'é', 'e\u0301', 'İ', 'ı', '\ufffd'],
  ...['\u{1f600}', '\u{1f601}', '\ud7ff', '\ue000', '\uffff', '\u{10ffff}', '*', '?'],
];
const KEYS = ['role', 'Role', 'region', 'tier', 'app.kubernetes.io/name', '__proto__', 'constructor'];
const VALUES = ['web', 'Web', 'db', 'eu', 'us', 'a', 'b', '1', 'x_y', 'xzy'];

let stock: ServerStock;
let tenant: StockTenant;
let servers: Stored[];

const text = (most: number, letters = LETTERS) => random.text(1 + random.int(most), letters);
const tagsOf = (): Record<string, string> =>
  JSON.parse(
    `{${[...new Set(Array.from({ length: random.int(5) }, () => random.pick(KEYS)))]
      .map((key) => `${JSON.stringify(key)}:${JSON.stringify(random.pick(VALUES))}`)
      .join(',')}}`,
  ) as Record<string, string>;

beforeAll(async () => {
  stock = await startServerStock();
  tenant = await stock.tenant('acme');
  const names = new Map<string, string>();
  while (names.size < SERVERS) {
    const name = random.int(3) === 0 ? `web-${text(3)} ${text(2)}` : text(4);
    names.set(name.toLowerCase(), name);
  }
  servers = [...names.values()].map((name) => ({ id: newId(), name, tags: tagsOf() }));
  await insert(tenant, servers);
  // Identical servers of another tenant must never match.
  await insert(
    await stock.tenant('other'),
    servers.map((server) => ({ ...server, id: newId() })),
  );
  await stock.database.query('analyze servers, server_labels');
});
afterAll(() => stock.close());

const insert = (owner: StockTenant, rows: readonly Stored[]) =>
  queryAs(
    stock.database,
    owner,
    `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags)
      select id, $1, $1, name, id::text, 22, 'a', $1, tags
        from jsonb_to_recordset($2::jsonb) as x (id uuid, name text, tags jsonb)`,
    [owner, JSON.stringify(rows)],
  );

async function matchedInSql(tx: EntityManager, selector: Selector): Promise<string[]> {
  const select = tx.getRepository(Server).createQueryBuilder('server').select('server.name', 'name');
  const rows = await whereSql(select, isSelectedSql(selector, sql.raw('server'))).getRawMany<{ name: string }>();
  return rows.map(({ name }) => name).sort();
}

async function resolved(tx: EntityManager, selector: Selector): Promise<string[]> {
  const rows = await new RunTargetsReader().resolveTargets(tx, { tenantId: tenant }, tenant, [selector]);
  return rows.map(({ name }) => name).sort();
}

const matched = (selector: Selector): string[] =>
  servers
    .filter((server) => matchesSelector(selector, server))
    .map(({ name }) => name)
    .sort();

function glob(): string {
  const { name } = random.pick(servers);
  const characters = Array.from(random.int(4) === 0 ? text(4) : name);
  const changed = characters.map((character) =>
    random.int(4) === 0 ? random.pick(['*', '?', '**', '?*', '\ud800']) : character,
  );
  return [random.pick(['', '', '*', '?']), ...changed.slice(0, 1 + random.int(6)), random.pick(['', '*', '?'])].join(
    '',
  );
}

function requirement(): SelectorRequirement {
  const operator = random.pick(['exists', 'absent', 'in', 'notin'] as const);
  const several = <T>(make: () => T) => Array.from({ length: 1 + random.int(3) }, make);
  if (random.int(2) === 0) return { key: 'name', operator: random.pick(['in', 'in', 'notin']), values: several(glob) };
  const key = random.pick([...KEYS, 'missing', 'toString', 'role\udc00']);
  const values = several(() => random.pick([...VALUES, '', 'none', '\ud800', 'w%', '\ufffd']));
  return { key, operator, values: operator === 'in' || operator === 'notin' ? values : [] };
}

describe('selectedBy', () => {
  it('matches the same servers as matchesSelector for random servers and selectors', async () => {
    let found = 0;
    await stock.units.run(tenant, async (tx) => {
      for (let round = 0; round < 3000; round += 1) {
        const selector = { requirements: Array.from({ length: 1 + random.int(3) }, requirement) };
        const names = await (round % 2 === 0 ? matchedInSql : resolved)(tx, selector);
        const expected = matched(selector);
        // The slow deep comparison runs only on a difference, for its report.
        if (names.join('\n') !== expected.join('\n'))
          expect({ selector, names }).toEqual({ selector, names: expected });
        if (names.length > 0 && names.length < SERVERS) found += 1;
      }
    });
    // The test proves little if few selectors match a part of the servers.
    expect(found).toBeGreaterThan(600);
  });

  it('accepts the maximum number of conditions and an empty selector', async () => {
    const most = parseSelector(Array.from({ length: 50 }, (_, at) => `${at % 2 ? '!t' : 'role!=x'}${at}`).join(','));
    await stock.units.run(tenant, async (tx) => {
      expect(await matchedInSql(tx, most)).toEqual(matched(most));
      expect(await resolved(tx, most)).toEqual(matched(most));
      expect(await matchedInSql(tx, parseSelector(''))).toHaveLength(SERVERS);
    });
  });
});

describe('labels of a server', () => {
  const labelled = (id: string) =>
    queryAs<{ label: string }>(
      stock.database,
      tenant,
      `select key || '=' || value as label from server_labels where server_id = $1 order by key`,
      [id],
    ).then((rows) => rows.map(({ label }) => label));

  it('follow changes of its tags and are deleted with it', async () => {
    const [server] = servers as [Stored];
    const change = (sql: string) => stock.units.run(tenant, (tx) => tx.query(`${sql} where id = $1`, [server.id]));
    await change(`update servers set tags = '{"a": "1", "b": "2"}'`);
    expect(await labelled(server.id)).toEqual(['a=1', 'b=2']);
    await change(`update servers set tags = '{"b": "3"}', name = name`);
    expect(await labelled(server.id)).toEqual(['b=3']);
    await change(`update servers set username = 'b'`);
    expect(await labelled(server.id)).toEqual(['b=3']);
    await change('delete from servers');
    expect(await labelled(server.id)).toEqual([]);
  });

  it('follow when one statement changes all servers differently and leaves some unchanged', async () => {
    const expected = () =>
      queryAs<{ label: string }>(
        stock.database,
        tenant,
        `select s.id || ' ' || n.key || '=' || n.value as label from servers s, labels_of(s.tags, s.facts) n
          order by s.id, n.key`,
      );
    const stored = () =>
      queryAs<{ label: string }>(
        stock.database,
        tenant,
        `select server_id || ' ' || key || '=' || value as label from server_labels order by server_id, key`,
      );
    const change = (sql: string) => stock.units.run(tenant, (tx) => tx.query(sql));
    // Each server gets the tags of the next one, so most keys stay and their values change.
    await change(`with turned as (select id, lead(tags, 1, '{"last": "1"}') over (order by id) as tags from servers)
      update servers s set tags = t.tags from turned t where t.id = s.id`);
    expect(await stored()).toEqual(await expected());
    await change(`update servers set tags = case when name < 'm' then tags else tags || '{"more": "1"}' end - 'last',
      facts = jsonb_build_object('os', 'debian', 'cpus', length(name), 'diskFreeMb', 1), facts_at = now()`);
    expect(await stored()).toEqual(await expected());
    await change(`update servers set facts = jsonb_build_object('os', name), facts_at = now()`);
    expect(await stored()).toEqual(await expected());
    await change(`update servers set facts = null, facts_at = null`);
    expect(await stored()).toEqual(await expected());
  });

  it('are not rewritten when the tags do not change', async () => {
    const server = servers.find(({ tags }) => Object.keys(tags).length > 0) as Stored;
    const versions = () =>
      queryAs<{ version: string }>(
        stock.database,
        tenant,
        'select xmin::text as version from server_labels where server_id = $1',
        [server.id],
      );
    const before = await versions();
    await stock.units.run(tenant, (tx) =>
      tx.query('update servers set tags = tags, updated_at = now() where id = $1', [server.id]),
    );
    expect(await versions()).toEqual(before);
  });
});
