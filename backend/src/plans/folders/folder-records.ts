import type { EntityManager } from 'typeorm';
import { affected, row, rows, sql } from '../../common/database/sql.js';
import type { CollectionUsage } from '../../collections/collection-use.js';
import { findSourcesByNameOrId } from '../../git-sources/records/git-source-lookup.js';
import type { PlanFolders, ReleasedPlan, PlanFoldersView, SyncCounts } from '../../git-sources/records/plan-folders.js';
import { newId } from '../../common/ids.js';
import { listEnvironmentsClosedTo } from '../../environments/caller-environments.js';
import { isPlanVisibleSql } from '../records/visible-plan.js';
import { toReason } from '../../common/http/reason.view.js';

export interface FolderRecord {
  id: string;
  path: string;
  collectionId: string;
  /** Member who set up the folder; null: the member was deleted. */
  setUpBy: string | null;
  setUpByName: string;
  /** Number of requests to apply the folder. */
  wanted: number;
}

export interface ManagedPlan {
  id: string;
  name: string;
  environmentId: string | null;
  folderId: string;
  path: string;
  /** `text` and `authorId` of the latest revision. */
  text: string | null;
  authorId: string | null;
}

/** Locks the folders of a source until the transaction ends, so that no other worker applies them. Returns them. */
export const lockFolders = (tx: EntityManager, tenantId: string, sourceId: string): Promise<FolderRecord[]> =>
  rows(
    tx,
    sql<FolderRecord>`select id, path, collection_id as "collectionId", set_up_by as "setUpBy",
        set_up_by_name as "setUpByName", wanted
      from plan_folders where tenant_id = ${tenantId} and git_source_id = ${sourceId} order by path for update`,
  );

export const recordFoldersApplied = (tx: EntityManager, tenantId: string, sourceId: string): Promise<unknown> =>
  affected(
    tx,
    sql`update plan_folders set applied = wanted where tenant_id = ${tenantId} and git_source_id = ${sourceId}`,
  );

export const listManagedPlans = (tx: EntityManager, tenantId: string, sourceId: string): Promise<ManagedPlan[]> =>
  rows(
    tx,
    // A plan with a source has a folder and a path.
    sql<ManagedPlan>`select p.id, p.name, p.environment_id as "environmentId", p.git_folder_id::text as "folderId",
        coalesce(p.git_path, '') as path, r.source_text as text, r.created_by as "authorId"
      from plans p join plan_revisions r on r.tenant_id = p.tenant_id and r.plan_id = p.id and r.number = p.revision
      where p.tenant_id = ${tenantId} and p.git_source_id = ${sourceId} order by p.git_path`,
  );

export interface PlanWithName extends Pick<ManagedPlan, 'id' | 'environmentId'> {
  sourceId: string | null;
  path: string | null;
}

/** Returns the plan with this name, even if the caller cannot see it. */
export async function findPlanWithName(
  tx: EntityManager,
  tenantId: string,
  name: string,
): Promise<PlanWithName | null> {
  const plan = await row(
    tx,
    sql<PlanWithName>`select id, environment_id as "environmentId", git_source_id as "sourceId", git_path as path
      from plans where tenant_id = ${tenantId} and lower(name) = lower(${name})`,
  );
  return plan ?? null;
}

interface FolderRow {
  sourceId: string;
  path: string;
  collectionId: string;
  setUpBy: string | null;
  setUpByName: string;
  pending: boolean;
}

interface SyncRow {
  id: string;
  sourceId: string;
  commit: string;
  error: string | null;
  counts: SyncCounts;
  at: Date;
}

const MAX_SOURCES = 10;

/** Returns the git sources with a folder whose plans are saved in the collection. */
export const gitSourcesInto: CollectionUsage['gitSourcesInto'] = async (tx, tenantId, collectionId) => {
  const folders = await rows(
    tx,
    sql<{ sourceId: string }>`select distinct git_source_id as "sourceId" from plan_folders
      where tenant_id = ${tenantId} and collection_id = ${collectionId} order by git_source_id limit ${MAX_SOURCES}`,
  );
  if (folders.length === 0) return [];
  const ids = folders.map(({ sourceId }) => sourceId);
  const sources = await findSourcesByNameOrId(tx, tenantId, ids);
  return sources.sort((one, other) => one.name.localeCompare(other.name));
};

/** Implements the port of the module `git-sources`. */
export const planFolders: PlanFolders = {
  async views(tx, { tenantId }, sourceIds) {
    const folders = await rows(
      tx,
      sql<FolderRow>`select git_source_id as "sourceId", path, collection_id as "collectionId", set_up_by as "setUpBy",
          set_up_by_name as "setUpByName", wanted > applied as pending
        from plan_folders where tenant_id = ${tenantId} and git_source_id = any (${sourceIds}) order by path`,
    );
    const syncs = await rows(
      tx,
      sql<SyncRow>`
        select distinct on (git_source_id) id, git_source_id as "sourceId", commit, error, counts, created_at as at
          from plan_folder_syncs where tenant_id = ${tenantId} and git_source_id = any (${sourceIds})
          order by git_source_id, id desc`,
    );
    return new Map(
      sourceIds.map((id): [string, PlanFoldersView] => {
        const own = folders.filter(({ sourceId }) => sourceId === id);
        const sync = syncs.find(({ sourceId }) => sourceId === id);
        return [
          id,
          {
            folders: own.map(({ path, collectionId, setUpBy, setUpByName }) => ({
              path,
              collectionId,
              setUpBy: setUpBy === null ? null : { id: setUpBy, name: setUpByName },
            })),
            sync: sync
              ? {
                  id: sync.id,
                  commit: sync.commit,
                  at: sync.at.toISOString(),
                  reason: toReason(sync.error === null ? null : 'plans_not_read', sync.error),
                  ...sync.counts,
                }
              : null,
            pending: own.some(({ pending }) => pending),
          },
        ];
      }),
    );
  },

  async limits(tx, caller, sourceId) {
    const { tenantId, limits } = caller;
    const folders = await rows(
      tx,
      sql<{
        path: string;
      }>`select path from plan_folders where tenant_id = ${tenantId} and git_source_id = ${sourceId}`,
    );
    if (folders.length === 0) return null;
    const closed = await listEnvironmentsClosedTo(tx, caller);
    if (limits?.planIds === undefined && closed.every(({ visible }) => visible)) return null;
    const plans = await rows(
      tx,
      sql<{ path: string | null }>`select p.git_path as path from plans p
        where p.tenant_id = ${tenantId} and p.git_source_id = ${sourceId} and ${isPlanVisibleSql(sql.raw('p'), caller)}`,
    );
    return {
      folders: folders.map(({ path }) => path),
      visiblePaths: new Set(plans.flatMap(({ path }) => path ?? [])),
    };
  },

  async replace(tx, { tenantId, userId, name }, sourceId, folders) {
    const known = await lockFolders(tx, tenantId, sourceId);
    const gone = known.filter(({ path }) => !folders.some((folder) => folder.path === path)).map(({ id }) => id);
    const released = await rows(
      tx,
      // A plan with a folder has a path and a commit.
      sql<ReleasedPlan>`with gone as (
          select id as plan_id, name as plan_name, coalesce(git_path, '') as path, coalesce(git_commit, '') as commit
            from plans where tenant_id = ${tenantId} and git_folder_id = any (${gone}) order by id for update
        )
        update plans p set git_folder_id = null, git_source_id = null, git_path = null, git_commit = null,
            version = version + 1, updated_at = now()
          from gone where p.tenant_id = ${tenantId} and p.id = gone.plan_id
          returning gone.plan_id as id, gone.plan_name as name, gone.path, gone.commit`,
    );
    await affected(tx, sql`delete from plan_folders where tenant_id = ${tenantId} and id = any (${gone})`);
    for (const { path, collectionId } of folders)
      await affected(
        tx,
        sql`insert into plan_folders (id, tenant_id, git_source_id, path, collection_id, set_up_by, set_up_by_name)
            values (${newId()}, ${tenantId}, ${sourceId}, ${path}, ${collectionId}, ${userId}, ${name})
          on conflict (tenant_id, git_source_id, path) do update set collection_id = excluded.collection_id,
            set_up_by = excluded.set_up_by, set_up_by_name = excluded.set_up_by_name`,
      );
    return released;
  },

  async takeOver(tx, { tenantId, userId, name }, sourceId) {
    await affected(
      tx,
      sql`update plan_folders set set_up_by = ${userId}, set_up_by_name = ${name}
        where tenant_id = ${tenantId} and git_source_id = ${sourceId}`,
    );
  },

  async requestUpdate(tx, tenantId, sourceId) {
    const requests = await affected(
      tx,
      sql`update plan_folders set wanted = wanted + 1 where tenant_id = ${tenantId} and git_source_id = ${sourceId}`,
    );
    return requests > 0;
  },
};
