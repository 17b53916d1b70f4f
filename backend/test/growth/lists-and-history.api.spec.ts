import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { MOST_LOOKED_AT } from '../../src/common/http/paging/bounded-walk.js';
import { type Installation, startInstallation, type TestMember } from '../support/installation.js';
import { type Operation, operations } from '../support/openapi.js';
import { filterValues, type Query, queriesOf, type Values } from './filter-cases.js';
import { type HistoryOf, storeHistory } from './made-up-history.js';
import { type PlanNode, readOf } from './row-counts.js';
import { statementsOf } from './statement-tap.js';

const RUNS = 40_000;
const ENTRIES = 40_000;
/** From so many rows on, a table grows with history. */
const LARGE = 5_000;
/** Rows that a list may read: what a page looks at, each run's environment and guard, and the page itself. */
const MOST_ROWS = 3 * MOST_LOOKED_AT;

/** Lists that grow with something else than history, and what bounds them. */
const OTHERWISE_BOUND: Record<string, string> = {
  listOwnSessions: 'sessions of one member; they end by themselves',
  listMemberSessions: 'sessions of one member; they end by themselves',
  listTokens: 'tokens of one member',
  listMembers: 'members of the tenant',
  listEnvironments: 'environments of the tenant',
  listGrants: 'members with a grant in one environment',
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
  listResults: 'hosts and steps of one run',
  listInheritedResults: 'hosts and steps of one run',
};

const lists = operations.filter(
  ({ method, parameters = [] }) => method === 'GET' && parameters.some(({ name }) => name === 'cursor'),
);
const grown = lists.filter(({ operationId }) => !(operationId in OTHERWISE_BOUND));

let runward: Installation;
let app: Client;
let callers: Record<string, TestMember>;
let values: Values;
let large: Set<string>;

beforeAll(async () => {
  runward = await startInstallation();
  const admin = await runward.tenant('acme');
  const seldom = await runward.member(admin, 'operator');
  const few = await runward.member(admin, 'viewer');
  const many = await runward.member(admin, 'operator');
  const none = await runward.member(admin, 'viewer');
  callers = { admin, seldom, few, many, none };
  await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
  const environments = await restricted(admin, 74);
  const [busy = '', common = '', rare = '', old = '', ...small] = environments;
  const grant = (member: TestMember, ids: readonly string[]) =>
    runward.database.query(
      `insert into environment_grants (tenant_id, environment_id, user_id, level)
        select $1, environment, $2, 'run' from unnest($3::uuid[]) environment`,
      [admin.tenantId, member.userId, ids],
    );
  await grant(seldom, [common, rare, old]);
  await grant(few, [rare]);
  await grant(many, small);
  const history: HistoryOf = {
    tenantId: admin.tenantId,
    runs: RUNS,
    entries: ENTRIES,
    environments: { busy, common, rare, old, small },
    starters: { often: admin.userId, seldom: seldom.userId },
  };
  values = filterValues(history, await storeHistory((sql, given) => runward.database.query(sql, given), history));
  const tables = await runward.database.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and reltuples >= $1`,
    [LARGE],
  );
  large = new Set(tables.map(({ name }) => name));
  app = new Client({ connectionString: runward.database.appUrl });
  await app.connect();
});
afterAll(async () => {
  await app.end();
  await runward.close();
});

/** Environments that only who has a grant sees. */
const restricted = async (admin: TestMember, count: number): Promise<string[]> => {
  const rows = await runward.database.query<{ id: string }>(
    `insert into environments (id, tenant_id, name, description, access)
      select gen_random_uuid(), $1, 'environment ' || n, '', 'restricted' from generate_series(1, $2::int) n returning id`,
    [admin.tenantId, count],
  );
  return rows.map(({ id }) => id);
};

const textOf = (query: Query): string =>
  new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();

/** Asks for a page, and for the one after it. */
async function ask(member: TestMember, operation: Operation, query: Query): Promise<void> {
  const path = `${operation.path}?${textOf(query)}`;
  const { status, body, text } = await member.api.get<{ nextCursor: string | null }>(path);
  if (status === 403) return;
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
  if (body.nextCursor === null) return;
  const next = await member.api.get(`${path}&cursor=${body.nextCursor}`);
  if (next.status !== 200) throw new Error(`GET ${path} and its next page: ${next.status} ${next.text}`);
}

const explained = async (options: string, text: string, given: unknown[]): Promise<PlanNode> => {
  const { rows } = await app.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (${options}, format json) ${text}`,
    given,
  );
  const [row] = rows;
  if (!row) throw new Error('EXPLAIN said nothing.');
  return row['QUERY PLAN'][0].Plan;
};

/** What is wrong with how a statement goes through the history; the application's role runs it, behind the tenant's wall. */
async function faultsOf(tenantId: string, text: string, given: unknown[]): Promise<string[]> {
  await app.query('begin');
  await app.query(`select set_config('app.tenant', $1, true)`, [tenantId]);
  try {
    const isLarge = (table: string) => large.has(table);
    const real = readOf(await explained('analyze, buffers', text, given), isLarge);
    // As a prepared statement may be planned: for no values in particular.
    const generic = readOf(await explained('generic_plan', text, []), isLarge);
    return [
      ...[...real.whole, ...generic.whole].map((table) => `reads ${table} from one end to the other`),
      ...(real.rows > MOST_ROWS ? [`reads ${real.rows} rows`] : []),
      ...(real.sorted > MOST_ROWS ? [`sorts ${real.sorted} rows`] : []),
    ];
  } finally {
    await app.query('rollback');
  }
}

describe('the lists of the document', () => {
  it('are all known: they grow with history and are looked at here, or it is told what else bounds them', () => {
    expect(grown.map(({ operationId }) => operationId).sort()).toEqual(['listAuditLogs', 'listExecutions']);
    const known = lists.map(({ operationId }) => operationId);
    expect(Object.keys(OTHERWISE_BOUND).filter((id) => !known.includes(id))).toEqual([]);
  });
});

describe.each(grown.map((list): [string, Operation] => [list.operationId, list]))('%s', (_, list) => {
  it('reads a bounded part of the history, whoever asks for whatever its filters take', async () => {
    const faults = new Map<string, string>();
    const seen = new Set<string>();
    for (const [name, member] of Object.entries(callers)) {
      for (const query of queriesOf(list, values)) {
        for (const { text, values: given } of await statementsOf(() => ask(member, list, query))) {
          const known = JSON.stringify([text, given]);
          if (seen.has(known)) continue;
          seen.add(known);
          for (const fault of await faultsOf(member.tenantId, text, given)) {
            faults.set(`${name} ?${textOf(query)} ${fault}`, text);
          }
        }
      }
    }
    expect(seen.size).toBeGreaterThan(100);
    expect([...faults.keys()]).toEqual([]);
  });
});
