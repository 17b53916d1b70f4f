import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Principal, canSeeAllEnvironments } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { Page } from '../../common/http/paging/page.js';
import type { PageQuery } from '../../common/http/paging/page.dto.js';
import { readPage } from '../../common/http/paging/sorted-page.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { GitSourceReader } from '../../git-sources/git-source.reader.js';
import {
  isHiddenPlanFile,
  isPathWithin,
  PLAN_FOLDERS,
  type PlanFolders,
} from '../../git-sources/records/plan-folders.js';
import { isPlanVisibleSql } from '../records/visible-plan.js';
import { PlanFolderSync } from './plan-sync.entity.js';
import { type PlanSyncView, type SyncEntry, toPlanSyncView } from './plan-syncs.view.js';

@Injectable()
export class PlanSyncsReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly git: GitSourceReader,
    private readonly environments: EnvironmentReader,
    @Inject(PLAN_FOLDERS) private readonly planFolders: PlanFolders,
  ) {}

  /** @throws Problem 404 */
  list(caller: Principal, gitSourceId: string, query: PageQuery): Promise<Page<PlanSyncView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.git.requireVisible(tx, caller, gitSourceId);
      const { tenantId } = caller;
      const select = tx
        .getRepository(PlanFolderSync)
        .createQueryBuilder('sync')
        .where('sync.tenantId = :tenantId and sync.gitSourceId = :gitSourceId', { tenantId, gitSourceId });
      const page = await readPage(select, query, (sync) => sync);
      const seen = await this.createEntryFilter(tx, caller, gitSourceId, page.items);
      return { ...page, items: page.items.map((sync) => toPlanSyncView(sync, seen)) };
    });
  }

  /**
   * Decides who may see an entry. For an existing plan, members who see the plan. For a deleted plan or a file without
   * a plan, members who see its environment. If the environment is unknown, members who see the file in the repository
   * and the member who set up the folder.
   */
  private async createEntryFilter(
    tx: EntityManager,
    caller: Principal,
    gitSourceId: string,
    syncs: readonly PlanFolderSync[],
  ): Promise<(entry: SyncEntry) => boolean> {
    const entries = syncs.flatMap((sync) => [
      ...[...sync.created, ...sync.changed, ...sync.removed, ...sync.kept],
      ...sync.invalid,
    ]);
    const planIds = [...new Set(entries.flatMap(({ planId }) => planId ?? []))];
    const plans = await rows(
      tx,
      sql<{ id: string; visible: boolean }>`
        select p.id, ${isPlanVisibleSql(sql.raw('p'), caller)} as visible from plans p
          where p.tenant_id = ${caller.tenantId} and p.id = any (${planIds})`,
    );
    const known = new Map(plans.map(({ id, visible }) => [id, visible]));
    const environmentIds = [...new Set(entries.flatMap(({ environmentId }) => environmentId ?? []))];
    const environments = await this.environments.findVisibleByName(tx, caller, environmentIds);
    const open = new Set(environments.map(({ id }) => id));
    const limits = await this.planFolders.limits(tx, caller, gitSourceId);
    const { folders = [] } = (await this.planFolders.views(tx, caller, [gitSourceId])).get(gitSourceId) ?? {};
    const own = folders.filter(({ setUpBy }) => setUpBy?.id === caller.userId).map(({ path }) => path);
    return ({ planId, environmentId, path, environmentUnknown }) => {
      const ofPlan = known.get(planId ?? '');
      if (ofPlan !== undefined) return ofPlan;
      if (environmentUnknown)
        return !isHiddenPlanFile(limits, path) || own.some((folder) => isPathWithin(folder, path));
      return environmentId === null || canSeeAllEnvironments(caller) || open.has(environmentId);
    };
  }
}
