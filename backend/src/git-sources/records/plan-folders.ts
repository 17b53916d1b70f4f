import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';

/** A folder of a source whose files become plans. */
export interface PlanFolder {
  /** From the top of the repository; empty: the top itself. */
  path: string;
  collectionId: string;
}

/** What is shown of the folders of a source. */
export interface ShownPlanFolders {
  folders: (PlanFolder & { setUpBy: string | null; setUpByName: string })[];
  /** The latest commit that plans were made of. */
  sync: ShownPlanSync | null;
  /** Some worker has still to make plans of what was found last. */
  pending: boolean;
}

/** How many files and plans a commit led to. */
export interface ShownPlanSync {
  id: string;
  commit: string;
  at: string;
  error: string | null;
  created: number;
  changed: number;
  unchanged: number;
  removed: number;
  kept: number;
  invalid: number;
  leftOut: number;
}

/** A plan that is an ordinary one from now on. */
export interface ReleasedPlan {
  id: string;
  name: string;
  path: string;
  commit: string;
}

/** Limits on the plan files of a source for callers who may not see every environment. */
export interface PlanFileLimits {
  /** Plan folders of the source. */
  folders: readonly string[];
  /** Paths of plans that the caller may see. */
  visiblePaths: ReadonlySet<string>;
}

/** Whether a file in a plan folder becomes a plan, by its path. */
export const isPlanFile = (path: string): boolean => /\.ya?ml$/i.test(path);

/**
 * Whether the path is hidden from the caller. Files that became no plan are hidden too: they can contain a plan of an
 * environment that the caller may not see, for example a former or invalid one.
 * @param limits null: nothing is hidden
 */
export const isHiddenPlanFile = (limits: PlanFileLimits | null, path: string): boolean =>
  limits !== null &&
  isPlanFile(path) &&
  !limits.visiblePaths.has(path) &&
  limits.folders.some((folder) => isWithin(folder, path));

/** Whether the path is below the folder. */
export const isWithin = (folder: string, path: string): boolean => folder === '' || path.startsWith(`${folder}/`);

/** Keeps the folders of sources whose files become plans. */
export interface PlanFolders {
  shown(tx: EntityManager, caller: Principal, sourceIds: readonly string[]): Promise<Map<string, ShownPlanFolders>>;
  /** Null: the source has no plan folders, or the caller may see all plans. */
  limits(tx: EntityManager, caller: Principal, sourceId: string): Promise<PlanFileLimits | null>;
  /**
   * Replaces the folders of a source; the caller's rights are those that their plans are saved with.
   * @returns the plans of folders that are no more
   */
  replace(
    tx: EntityManager,
    caller: Principal,
    sourceId: string,
    folders: readonly PlanFolder[],
  ): Promise<ReleasedPlan[]>;
  /** The source shows other content from now on: whoever says so answers for it. */
  takeOver(tx: EntityManager, caller: Principal, sourceId: string): Promise<void>;
  /** Notes that plans are to be made of what the source has now. @returns whether it has such folders */
  want(tx: EntityManager, tenantId: string, sourceId: string): Promise<boolean>;
}

/** Injection token of the `PlanFolders`; the room `plans` answers it. */
export const PLAN_FOLDERS = Symbol('plan-folders');
