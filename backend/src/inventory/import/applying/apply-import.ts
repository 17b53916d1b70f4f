import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../../common/access/principal.js';
import { affected, sql } from '../../../common/database/sql.js';
import { getPinnedKeys, haveSamePins, toStoredPins } from '../../../transport/keys/pinned-key.js';
import { SET_COLUMNS } from '../../fields/server-fields.js';
import { splitIntoBatches, ServerBatches, type AuditedServerChange } from '../../server-batches.js';
import { ServerVariableStore } from '../../variables/server-variable-store.js';
import type { ImportPlan, ServerWrite } from '../planning/plan-import.js';
import { isReaddressed } from '../planning/server-content.js';

@Injectable()
export class ImportApplication {
  constructor(
    private readonly servers: ServerBatches,
    private readonly variables: ServerVariableStore,
  ) {}

  /** @param reportProgress called repeatedly with the number of servers that are already stored */
  async applyPlan(
    tx: EntityManager,
    caller: Principal,
    { writes, removals }: ImportPlan,
    reportProgress: (done: number) => Promise<void>,
  ): Promise<void> {
    for (const some of splitIntoBatches(removals)) await this.servers.removeServers(tx, caller, some);
    const changed = writes.filter(({ before }) => before !== null);
    await releaseNamesAndAddresses(tx, caller.tenantId, changed);
    let done = 0;
    for (const [some, store] of [
      // New servers come first, because changed servers may use them as jump servers.
      ...groupByJumpDepth(writes.filter(({ before }) => before === null)).flatMap((each) =>
        splitIntoBatches(each).map((some) => [some, insertServers] as const),
      ),
      ...splitIntoBatches(changed).map((each) => [each, updateServers] as const),
    ]) {
      await store(tx, caller, some);
      await this.variables.setValues(
        tx,
        caller,
        some.map(({ id, variables }) => ({ serverId: id, values: variables.after })),
      );
      await this.servers.recordAudit(tx, caller, some.map(toAuditedChange));
      done += some.length;
      await reportProgress(done);
    }
  }
}

/** Groups new servers: the jump server of each is in an earlier group, or already exists. */
function groupByJumpDepth(created: readonly ServerWrite[]): ServerWrite[][] {
  const steps: ServerWrite[][] = [];
  let waiting = created;
  while (waiting.length > 0) {
    const ids = new Set(waiting.map(({ id }) => id));
    const isReady = ({ after }: ServerWrite) => after.jumpServerId === null || !ids.has(after.jumpServerId);
    const ready = waiting.filter(isReady);
    if (ready.length === 0) throw new Error('New servers would be jump servers of one another.');
    steps.push(ready);
    waiting = waiting.filter((write) => !isReady(write));
  }
  return steps;
}

/** Frees the old names and addresses of changed servers first, so that two servers can exchange them. */
async function releaseNamesAndAddresses(
  tx: EntityManager,
  tenantId: string,
  changed: readonly ServerWrite[],
): Promise<void> {
  const ids = changed.filter((write) => isRenamed(write) || isMachineChanged(write)).map(({ id }) => id);
  await affected(
    tx,
    sql`update servers set name = 'renaming ' || id, known_double = true
      where tenant_id = ${tenantId} and id = any (${ids})`,
  );
}

const isRenamed = ({ before, after }: ServerWrite) => before !== null && before.name !== after.name;
const isMachineChanged = (write: ServerWrite) =>
  isReaddressed(write.before, write.after) ||
  (write.before !== null &&
    (write.before.username !== write.after.username || write.before.environmentId !== write.after.environmentId));

const IMPORTED_COLUMNS = Object.entries(SET_COLUMNS);
const IMPORTED_TYPES_SQL = sql`id uuid, ${sql.raw(IMPORTED_COLUMNS.map(([name, { type }]) => `"${name}" ${type}`).join(', '))},
  repinned boolean, by text, forget boolean, double boolean, pruned boolean`;
/** Imports never change the SSH key of a server. */
const UPDATED_COLUMNS_SQL = sql.raw(
  IMPORTED_COLUMNS.filter(([name]) => name !== 'sshKeyId')
    .map(([name, { column }]) => `${column} = x."${name}"`)
    .join(', '),
);
const INSERTED_COLUMNS_SQL = sql.raw(IMPORTED_COLUMNS.map(([, { column }]) => column).join(', '));
const INSERTED_VALUES_SQL = sql.raw(IMPORTED_COLUMNS.map(([name]) => `"${name}"`).join(', '));

const toAuditedChange = ({ id, before, variables }: ServerWrite): AuditedServerChange => ({
  id,
  before,
  ...(Object.keys(variables.after).length > 0
    ? { additions: { before: { variables: variables.before }, after: { variables: variables.after } } }
    : {}),
});

const createRowMapper = (by: string) => (write: ServerWrite) => {
  const {
    before,
    after: { variables: _, hostKeys, ...fields },
  } = write;
  const hasNewPins = before !== null && !haveSamePins(getPinnedKeys(before), hostKeys);
  return {
    id: write.id,
    ...fields,
    ...toStoredPins(hostKeys),
    repinned: hasNewPins,
    by,
    forget: isReaddressed(before, write.after) || hasNewPins,
    double: before !== null && before.knownDouble && !isMachineChanged(write),
    pruned: write.pruned,
  };
};

async function updateServers(
  tx: EntityManager,
  { tenantId, userId, name: by }: Principal,
  writes: readonly ServerWrite[],
): Promise<void> {
  await affected(
    tx,
    sql`update servers s set ${UPDATED_COLUMNS_SQL},
        pinned_by = case when x.repinned then x.by else s.pinned_by end,
        pinned_by_id = case when x.repinned then ${userId} else s.pinned_by_id end,
        pinned_how = case when x.repinned then 'imported' else s.pinned_how end, known_double = x.double, disabled_by_import = x.pruned,
        seen_host_key = case when x.forget then null else s.seen_host_key end,
        last_check = case when x.forget then null else s.last_check end,
        state = case when x.forget then 'unchecked' else s.state end,
        state_since = case when x.forget then null else s.state_since end,
        checked_at = case when x.forget then null else s.checked_at end,
        latency_ms = case when x.forget then null else s.latency_ms end,
        last_reached_address = case when x.forget then null else s.last_reached_address end,
        updated_at = now(), version = s.version + 1
      from jsonb_to_recordset(${JSON.stringify(writes.map(createRowMapper(by)))}::jsonb) as x (${IMPORTED_TYPES_SQL})
      where s.tenant_id = ${tenantId} and s.id = x.id`,
  );
}

async function insertServers(
  tx: EntityManager,
  { tenantId, userId, name: by }: Principal,
  writes: readonly ServerWrite[],
): Promise<void> {
  await affected(
    tx,
    sql`insert into servers (tenant_id, id, ${INSERTED_COLUMNS_SQL}, pinned_by, pinned_by_id, pinned_how)
      select ${tenantId}::uuid, id, ${INSERTED_VALUES_SQL}, by,
        ${userId}::uuid, 'imported'
      from jsonb_to_recordset(${JSON.stringify(writes.map(createRowMapper(by)))}::jsonb) as x (${IMPORTED_TYPES_SQL})`,
  );
}
