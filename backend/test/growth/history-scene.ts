import type { Installation, TestMember } from '../support/installation.js';
import { filterValues, type Values } from './filter-cases.js';
import { type HistoryOf, storeHistory } from './synthetic-history.js';

export interface HistoryScene {
  history: HistoryOf;
  callers: {
    admin: TestMember;
    /** Member who sees three environments and has started few runs. */
    seldom: TestMember;
    /** Member who sees one environment, with one in a thousand runs. */
    few: TestMember;
    /** Member who sees too many environments for a separate index scan of each. */
    many: TestMember;
    none: TestMember;
  };
  /** IDs of visible environments per member; null = all. */
  visible: ReadonlyMap<TestMember, readonly string[] | null>;
  values: Values;
}

const SMALL = 70;

export async function makeHistoryScene(runward: Installation, runs: number, entries: number): Promise<HistoryScene> {
  const { database } = runward;
  const admin = await runward.tenant();
  const [seldom, few, many, none] = [
    await runward.member(admin, 'operator'),
    await runward.member(admin, 'viewer'),
    await runward.member(admin, 'operator'),
    await runward.member(admin, 'viewer'),
  ];
  const { tenantId } = admin;
  await database.query(`select set_config('app.tenant', $1, false)`, [tenantId]);
  const made = await database.query<{ id: string }>(
    `insert into environments (id, tenant_id, name, description, access)
      select gen_random_uuid(), $1, 'environment ' || n, '', 'restricted' from generate_series(1, $2::int) n returning id`,
    [tenantId, SMALL + 4],
  );
  const [busy = '', common = '', rare = '', old = '', ...small] = made.map(({ id }) => id);
  const visible = new Map<TestMember, readonly string[] | null>([
    [admin, null],
    [seldom, [common, rare, old]],
    [few, [rare]],
    [many, small],
    [none, []],
  ]);
  for (const [member, ids] of visible) {
    await database.query(
      `insert into environment_grants (tenant_id, environment_id, user_id, level)
        select $1, environment, $2, 'run' from unnest($3::uuid[]) environment`,
      [tenantId, member.userId, ids ?? []],
    );
  }
  const history: HistoryOf = {
    tenantId,
    runs,
    entries,
    environments: { busy, common, rare, old, small },
    starters: { often: admin.userId, seldom: seldom.userId },
  };
  const places = await storeHistory((sql, given) => database.query(sql, given), history);
  return { history, callers: { admin, seldom, few, many, none }, visible, values: filterValues(history, places) };
}
