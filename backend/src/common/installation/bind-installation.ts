import { MASTER_KEY_LOCK_ID } from '../database/boot/master-key-hold.js';
import { affected, type Executor, row, sql } from '../database/sql.js';
import { COPY_REASONS, mergeBindings, type CopySign, type InstallationBinding, compareBindings } from './binding.js';
import { type InstallationState, readInstallationState, STATE_COLUMNS } from './installation-state.js';

interface StoredBindingRow extends InstallationState {
  bound: InstallationBinding | null;
  shared: boolean;
}

export interface BoundInstallation {
  state: InstallationState;
  note: string | null;
}

/**
 * Decides at a start whether the database continues its installation, and holds a possible copy before any process can
 * act. Runs in a transaction of the database owner. Undefined without an installation.
 * @param isIdentityClaimed whether another process on this machine runs the same identity from another data folder
 */
export async function bindInstallation(
  executor: Executor,
  present: InstallationBinding,
  isIdentityClaimed: (identity: string) => Promise<boolean>,
): Promise<BoundInstallation | undefined> {
  const stored = await row(
    executor,
    sql<StoredBindingRow>`select ${STATE_COLUMNS}, bound_to as bound, exists (
        select from pg_locks where locktype = 'advisory' and objid = ${MASTER_KEY_LOCK_ID} and granted
          and database = (select oid from pg_database where datname = current_database())) as shared
      from installation for update`,
  );
  if (!stored) return undefined;
  const { bound, shared, ...state } = stored;
  const isHeldByPerson = state.cause === 'person';
  const verdict = bound === null ? ({ kind: 'same' } as const) : compareBindings(bound, present, shared);
  // A copy must not claim the identity, not even to test it: the original might start now and fail to claim it.
  const sign = verdict.kind === 'copy' ? verdict.sign : (await isIdentityClaimed(state.identity)) ? 'running' : null;
  // The first process that started on this database has already decided.
  if (shared) {
    if (state.cause !== 'copy') await storeBinding(executor, mergeBindings(bound, present));
    return { state, note: null };
  }
  if (sign) return { state: await holdInstallation(executor, sign), note: describeLocationChange(bound, present) };
  await storeBinding(executor, mergeBindings(bound, present));
  if (verdict.kind === 'restored') await raiseIncarnation(executor);
  // A copy that was held only because of its location is the original again when it is back.
  if (!isHeldByPerson)
    await affected(
      executor,
      sql`update installation set state = 'active', cause = null, reason = null where state <> 'active'`,
    );
  const now = (await readInstallationState(executor)) ?? state;
  return {
    state: now,
    note: verdict.kind === 'restored' ? describeRestoredDatabase(now) : describeMovedFolder(bound, present),
  };
}

async function holdInstallation(executor: Executor, sign: CopySign): Promise<InstallationState> {
  const held = await row(
    executor,
    sql<InstallationState>`
      update installation set state = 'held', cause = 'copy', reason = ${COPY_REASONS[sign]},
        state_since = case when cause = 'copy' then state_since else now() end
      returning ${STATE_COLUMNS}`,
  );
  if (!held) throw new Error('The installation has no identity.');
  return held;
}

export async function storeBinding(executor: Executor, binding: InstallationBinding): Promise<void> {
  await affected(executor, sql`update installation set bound_to = ${JSON.stringify(binding)}`);
}

/**
 * Sets the incarnation to the time in seconds, or at least one higher. So two copies that resume from the same backup
 * get different incarnations.
 */
export async function raiseIncarnation(executor: Executor): Promise<void> {
  await affected(
    executor,
    sql`update installation
      set incarnation = greatest(incarnation + 1, floor(extract(epoch from clock_timestamp()))::bigint)`,
  );
}

const describeRestoredDatabase = ({ incarnation }: InstallationState): string =>
  `The database was restored from a backup in its place. It continues as incarnation ${incarnation}: hosts refuse the one before.`;

function describeMovedFolder(bound: InstallationBinding | null, { folder }: InstallationBinding): string | null {
  if (!bound?.folder || !folder || bound.folder.path === folder.path) return null;
  return `The data folder was moved from ${bound.folder.path} to ${folder.path}.`;
}

/** Describes the old and new location for the operator's log. */
function describeLocationChange(bound: InstallationBinding | null, present: InstallationBinding): string | null {
  const places = [bound, present].map((each) => (each ? describeLocation(each) : null));
  return bound ? `It last acted in ${places[0]}; this is ${places[1]}.` : null;
}

export const describeLocation = ({ folder, database, environment }: InstallationBinding): string =>
  [
    folder ? `the data folder ${folder.path}` : `database ${database?.name} at ${database?.addresses[0]}`,
    environment === null ? '' : ` (installation ${environment})`,
  ].join('');
