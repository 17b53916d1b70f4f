import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import { CollectionReader } from '../collections/collection-reader.js';
import type { Principal } from '../common/access/principal.js';
import { invalidRequest } from '../common/errors/problem.js';
import type { ProblemItem } from '../common/errors/problem-item.js';
import { JobQueue } from '../common/queue/job-queue.js';
import type { GitPlanFolderRequest } from './git-sources.dto.js';
import { PLAN_FOLDERS, type PlanFolders, type PlanFoldersView } from './records/plan-folders.js';
import { findRepositoryPathFault } from './urls/git-names.js';

@Injectable()
export class PlanFolderSettings {
  constructor(
    private readonly audit: AuditTrail,
    private readonly queue: JobQueue,
    private readonly collections: CollectionReader,
    @Inject(PLAN_FOLDERS) private readonly folders: PlanFolders,
  ) {}

  getViews(tx: EntityManager, caller: Principal, ids: readonly string[]): Promise<Map<string, PlanFoldersView>> {
    return this.folders.views(tx, caller, ids);
  }

  /**
   * Replaces the plan folders. Plans of removed folders become ordinary plans.
   * @throws Problem 400; 404 for an unknown collection
   */
  async replaceFolders(
    tx: EntityManager,
    caller: Principal,
    sourceId: string,
    requested: readonly GitPlanFolderRequest[],
  ): Promise<void> {
    const folders = requested.map(({ path, collectionId }) => ({ path: path === '.' ? '' : path, collectionId }));
    const faults = findFolderFaults(folders);
    if (faults.length > 0) throw invalidRequest(faults);
    for (const [index, { collectionId }] of folders.entries())
      await this.collections.findCollection(tx, caller.tenantId, collectionId, `/planFolders/${index}/collectionId`);
    for (const { id, name, path, commit } of await this.folders.replace(tx, caller, sourceId, folders)) {
      await this.audit.record(tx, caller, {
        action: 'plan.release',
        resourceId: id,
        resourceName: name,
        before: { origin: { gitSourceId: sourceId, path, commit } },
        after: { origin: null },
      });
    }
    await this.enqueueFolderUpdate(tx, caller.tenantId, sourceId);
  }

  takeOverFolders(tx: EntityManager, caller: Principal, sourceId: string): Promise<void> {
    return this.folders.takeOver(tx, caller, sourceId);
  }

  /** Requests an update of the plans from the current content, if the source has plan folders. */
  async enqueueFolderUpdate(tx: EntityManager, tenantId: string, gitSourceId: string): Promise<void> {
    if (await this.folders.requestUpdate(tx, tenantId, gitSourceId))
      await this.queue.enqueueApplyPlanFolders(tx, { tenantId, gitSourceId });
  }
}

function findFolderFaults(folders: readonly GitPlanFolderRequest[]): ProblemItem[] {
  return folders.flatMap(({ path }, index): ProblemItem[] => {
    const at = `/planFolders/${index}/path`;
    const fault = path === '' ? null : findRepositoryPathFault(path);
    if (fault !== null) return [{ path: at, code: 'invalid_path', message: fault }];
    const around = folders.slice(0, index).find((other) => isWithin(path, other.path) || isWithin(other.path, path));
    if (!around) return [];
    const message = `"${path}" and "${around.path}" are the same folder or nested. A file can become only one plan: remove one of the folders.`;
    return [{ path: at, code: 'duplicate_item', message }];
  });
}

const isWithin = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);
