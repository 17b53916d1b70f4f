import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { UserReference } from '../../common/http/user-reference.view.js';
import { Reason } from '../../common/http/reason.view.js';

export interface PlanFolder {
  /** From the root of the repository; empty: the root. */
  path: string;
  collectionId: string;
}

export interface PlanFoldersView {
  folders: (PlanFolder & { setUpBy: UserReference | null })[];
  /** Result of the last plan sync; null: none yet. */
  sync: PlanSyncView | null;
  /** True until a worker has updated the plans from the latest sync. */
  pending: boolean;
}

export interface SyncCounts {
  created: number;
  changed: number;
  unchanged: number;
  removed: number;
  kept: number;
  invalid: number;
  leftOut: number;
}

export interface PlanSyncView extends SyncCounts {
  id: string;
  commit: string;
  at: string;
  reason: Reason | null;
}

export interface ReleasedPlan {
  id: string;
  name: string;
  path: string;
  commit: string;
}

/** Restricts plan files of a source for callers who cannot see every environment. */
export interface PlanFileLimits {
  folders: readonly string[];
  visiblePaths: ReadonlySet<string>;
}

export const isPlanFile = (path: string): boolean => /\.ya?ml$/i.test(path);

/**
 * Whether the path is hidden from the caller. Files without a plan are hidden too, because an invalid or former plan
 * file can name an environment that the caller cannot see.
 * @param limits null: nothing is hidden
 */
export const isHiddenPlanFile = (limits: PlanFileLimits | null, path: string): boolean =>
  limits !== null &&
  isPlanFile(path) &&
  !limits.visiblePaths.has(path) &&
  limits.folders.some((folder) => isPathWithin(folder, path));

export const isPathWithin = (folder: string, path: string): boolean => folder === '' || path.startsWith(`${folder}/`);

/** Stores plan folders of sources. The module `plans` implements this port. */
export interface PlanFolders {
  views(tx: EntityManager, caller: Principal, sourceIds: readonly string[]): Promise<Map<string, PlanFoldersView>>;
  /** Null: the source has no plan folders, or the caller can see all plans. */
  limits(tx: EntityManager, caller: Principal, sourceId: string): Promise<PlanFileLimits | null>;
  /**
   * Replaces the plan folders of a source. Their plans are then saved with the caller's rights.
   * @returns plans of removed folders
   */
  replace(
    tx: EntityManager,
    caller: Principal,
    sourceId: string,
    folders: readonly PlanFolder[],
  ): Promise<ReleasedPlan[]>;
  /** Call when the content of the source changes. Its plans are then saved with the caller's rights. */
  takeOver(tx: EntityManager, caller: Principal, sourceId: string): Promise<void>;
  /** Requests an update of the plans from the current content. @returns whether the source has plan folders */
  requestUpdate(tx: EntityManager, tenantId: string, sourceId: string): Promise<boolean>;
}

/** Injection token of the `PlanFolders`, which the module `plans` provides. */
export const PLAN_FOLDERS = Symbol('plan-folders');
