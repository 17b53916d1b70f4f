import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { GENERATION_SETTING, SCHEMA_GENERATION } from '../../src/common/database/schema-generation.js';
import { MAX_ROWS_READ } from '../../src/common/http/paging/bounded-walk.js';
import { type Installation, startInstallation, type TestMember } from '../support/installation.js';
import { type Operation, operationOf, operations } from '../support/openapi.js';
import { seededRandom } from '../support/seeded-random.js';
import { ENTRY_CONDITIONS, type Query, queriesOf, RUN_CONDITIONS } from './filter-cases.js';
import { type HistoryScene, makeHistoryScene } from './history-scene.js';
import { type PlanNode, readOf } from './row-counts.js';
import { statementsOf } from './statement-tap.js';

const RUNS = 40_000;
const ENTRIES = 40_000;
/** Number of rows from which a table counts as large. */
const LARGE = 5_000;
/**
 * Maximum number of rows that a list may read: rows that a page scans, the environment and guard of each run, and the
 * page itself.
 */
const MAX_ROWS = 3 * MAX_ROWS_READ;

/** Lists that do not grow with history. Value: what limits them. */
const BOUNDED_OTHERWISE: Record<string, string> = {
  listOwnSessions: 'sessions of one member; they end automatically',
  listMemberSessions: 'sessions of one member; they end automatically',
  listBookmarks: 'bookmarks of one member, of which there is a most',
  listTokens: 'tokens of one member',
  listMembers: 'members of the tenant',
  listServiceAccounts: 'service accounts of the tenant',
  listTrustRules: 'trust rules of the tenant, of which there is a most',
  listEnvironments: 'environments of the tenant',
  listGrants: 'members with a grant in one environment',
  listOpenProtectionChanges: 'at most one open change of each environment',
  listProtectionChanges: 'changes of one environment that people requested',
  listDepartedServers: 'servers that left one environment; each ends after the delay, or when it is released',
  listEnvironmentVariables: 'variables of one environment, of which there is a most',
  listSshKeys: 'keys of the tenant',
  listCollections: 'collections of the tenant',
  listGitSources: 'git sources of the tenant',
  listGitTree: 'files of one folder',
  listGitCommits: 'read from the mirror, page by page',
  listServers: 'servers of the tenant',
  listServerVariables: 'variables of one server, of which there is a most',
  listImports: 'the latest imports only; older ones are deleted',
  listImportEntries: 'entries of one import, of which there is a most',
  listKeyRotations: 'the latest rotations only; older ones are deleted',
  listKeyRotationHosts: 'servers of one rotation',
  listEnrolments: 'enrolments of the tenant; each ends',
  listScripts: 'scripts of the tenant',
  listScriptRevisions: 'revisions of one script',
  listTemplates: 'templates of the tenant',
  listTemplateRevisions: 'revisions of one template',
  listPlans: 'plans of the tenant',
  listPlanRevisions: 'revisions of one plan',
  listPlanSyncs: 'the latest syncs of one git source; older ones are deleted',
  listWebhooks: 'webhooks of the tenant, of which there is a most',
  listWebhookDeliveries: 'deliveries of one webhook; those that are over are deleted after a while',
  listNotificationRules: 'notification rules of the tenant, of which there is a most',
  listNotificationDeliveries:
    'messages of one rule in 30 days, of which there is a most an hour; older ones are deleted',
  listResults: 'hosts and steps of one run',
  listPredictions: 'hosts and steps of one run',
  listInheritedResults: 'hosts and steps of one run',
  listSchedules: 'schedules of the tenant, of which there is a most',
  listScheduleFires: 'the latest fires of one schedule; older ones are deleted',
};

/** Members who query each pair of filters: one sees everything, the other sees little. */
const CALLERS_TO_COMPARE = ['admin', 'few'];

const lists = operations.filter(
  ({ method, parameters = [] }) => method === 'GET' && parameters.some(({ name }) => name === 'cursor'),
);
const growingLists = lists.filter(({ operationId }) => !(operationId in BOUNDED_OTHERWISE));

let runward: Installation;
let app: Client;
/** History with more runs than a page scans, but too few for a large table. */
let short: HistoryScene;
let long: HistoryScene;
let large: Set<string>;

beforeAll(async () => {
  runward = await startInstallation();
  short = await makeHistoryScene(runward, 2 * MAX_ROWS_READ + 500, 2 * MAX_ROWS_READ + 500);
  long = await makeHistoryScene(runward, RUNS, ENTRIES);
  const tables = await runward.database.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and reltuples >= $1`,
    [LARGE],
  );
  large = new Set(tables.map(({ name }) => name));
  app = new Client({ connectionString: runward.database.appUrl });
  await app.connect();
  await app.query(`select set_config($1, $2, false)`, [GENERATION_SETTING, String(SCHEMA_GENERATION)]);
});
afterAll(async () => {
  await app.end();
  await runward.close();
});

const textOf = (query: Query): string =>
  new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();

async function ask(member: TestMember, operation: Operation, query: Query): Promise<void> {
  const path = `${operation.path}?${textOf(query)}`;
  const { status, body, text } = await member.api.get<{ nextCursor: string | null }>(path);
  if (status === 403) return;
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
  if (body.nextCursor === null || query.length > 1) return;
  const next = await member.api.get(`${path}&cursor=${body.nextCursor}`);
  if (next.status !== 200) throw new Error(`GET ${path} and its next page: ${next.status} ${next.text}`);
}

const explainStatement = async (options: string, text: string, given: unknown[]): Promise<PlanNode> => {
  const { rows } = await app.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (${options}, format json) ${text}`,
    given,
  );
  const [row] = rows;
  if (!row) throw new Error('EXPLAIN said nothing.');
  return row['QUERY PLAN'][0].Plan;
};

/**
 * Returns the faults in the query plan of a statement. Runs it on the history as the application's role, under
 * row-level security.
 */
async function faultsOf(tenantId: string, text: string, given: unknown[], isNew: boolean): Promise<string[]> {
  await app.query('begin');
  await app.query(`select set_config('app.tenant', $1, true)`, [tenantId]);
  try {
    const isLarge = (table: string) => large.has(table);
    const real = readOf(await explainStatement('analyze, buffers', text, given), isLarge);
    // For a prepared statement, PostgreSQL can also use a generic plan.
    const genericPlanNodes = isNew ? readOf(await explainStatement('generic_plan', text, []), isLarge).whole : [];
    return [
      ...[...real.whole, ...genericPlanNodes].map((table) => `reads ${table} from one end to the other`),
      ...(real.rows > MAX_ROWS ? [`reads ${real.rows} rows`] : []),
      ...(real.sorted > MAX_ROWS ? [`sorts ${real.sorted} rows`] : []),
    ];
  } finally {
    await app.query('rollback');
  }
}

describe('lists of the OpenAPI document', () => {
  it('are all covered here, or have a stated limit', () => {
    expect(growingLists.map(({ operationId }) => operationId).sort()).toEqual(['listAuditLogs', 'listExecutions']);
    const known = lists.map(({ operationId }) => operationId);
    expect(Object.keys(BOUNDED_OTHERWISE).filter((id) => !known.includes(id))).toEqual([]);
  });
});

describe.each(growingLists.map((list): [string, Operation] => [list.operationId, list]))('%s', (_, list) => {
  it('reads a limited number of rows for every member and filter', async () => {
    const faults = new Map<string, string>();
    const seen = new Set<string>();
    const texts = new Set<string>();
    for (const [name, member] of Object.entries(long.callers)) {
      for (const query of queriesOf(list, long.values, CALLERS_TO_COMPARE.includes(name))) {
        for (const { text, values: given } of await statementsOf(() => ask(member, list, query))) {
          const known = JSON.stringify([text, given]);
          if (seen.has(known)) continue;
          seen.add(known);
          const isNew = !texts.has(text);
          texts.add(text);
          for (const fault of await faultsOf(member.tenantId, text, given, isNew)) {
            faults.set(`${name} ?${textOf(query)} ${fault}`, text);
          }
        }
      }
    }
    expect(seen.size).toBeGreaterThan(50);
    expect([...faults.keys()]).toEqual([]);
  });
});

describe('pages of a list', () => {
  /**
   * Reads all pages.
   * @returns items, and their number per page
   */
  async function followed(member: TestMember, path: string, query: Query) {
    const ids: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { status, body, text } = await member.api.get<{ items: { id: string }[]; nextCursor: string | null }>(
        `${path}?limit=150&${textOf(query)}${more}`,
      );
      if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
      ids.push(...body.items.map(({ id }) => id));
      sizes.push(body.items.length);
      cursor = body.nextCursor;
    }
    return { ids, sizes };
  }

  /** Reads the items with a plain statement that scans the whole table, for comparison. */
  async function filterInMemory(table: string, member: TestMember, query: Query, conditions: Record<string, string>) {
    const seen = short.visible.get(member);
    const by: Query = query.filter(([name]) => name !== 'sort');
    const names = [...new Set(by.map(([name]) => name))];
    const given = names.map((name) => by.filter(([each]) => each === name).map(([, value]) => value));
    await runward.database.query(`select set_config('app.tenant', $1, false)`, [member.tenantId]);
    const rows = await runward.database.query<{ id: string }>(
      `select e.id from ${table} e where e.tenant_id = $1 and ($2::uuid[] is null or e.${table === 'executions' ? 'environment_id' : 'tenant_id'} = any ($2))
        ${names.map((name, index) => `and ${conditions[name]?.replaceAll('?', `$${index + 3}`)}`).join(' ')}
        order by ${table === 'executions' ? 'id' : 'sequence'} ${query.length > by.length ? 'asc' : 'desc'}`,
      [member.tenantId, seen ?? null, ...given],
    );
    return rows.map(({ id }) => id);
  }

  const isFilter = (query: Query): boolean => query.every(([name]) => name !== 'limit');

  it('contain each matching item once and in order, also with short pages', async () => {
    const random = seededRandom(11);
    const wrong: string[] = [];
    let shortenedCount = 0;
    for (const [operationId, table, conditions] of [
      ['listExecutions', 'executions', RUN_CONDITIONS],
      ['listAuditLogs', 'audit_entries', ENTRY_CONDITIONS],
    ] as const) {
      const list = operationOf(operationId);
      for (const [name, member] of Object.entries(short.callers)) {
        if (operationId === 'listAuditLogs' && name !== 'admin') continue;
        for (const query of queriesOf(list, short.values).filter((each) => isFilter(each) && random.int(5) === 0)) {
          const { ids, sizes } = await followed(member, list.path, query);
          const expected = await filterInMemory(table, member, query, conditions);
          if (JSON.stringify(ids) !== JSON.stringify(expected))
            wrong.push(`${name} ?${textOf(query)}: ${ids.length} of ${expected.length}`);
          shortenedCount += sizes.slice(0, -1).filter((size) => size < 150).length;
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(shortenedCount).toBeGreaterThan(0);
  });
});
