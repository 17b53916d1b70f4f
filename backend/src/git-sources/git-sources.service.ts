import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { affected, sql } from '../common/database/sql.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict } from '../common/errors/problem.js';
import { requireVersion } from '../common/http/etag.js';
import { toLikePattern, type Page } from '../common/http/paging/page.js';
import { NAMED_RECORD_COLUMNS, readPage } from '../common/http/paging/sorted-page.js';
import { newId } from '../common/ids.js';
import { JobQueue } from '../common/queue/job-queue.js';
import { KeyVault } from '../keys/key-vault.js';
import { addToDirectory, removeFromDirectory } from '../tenancy/directory/auth-directory.js';
import { requireGitSourceReach, GIT_SOURCE_REACH, type GitSourceReach } from './git-source-reach.js';
import { GIT_SOURCE_USE, type GitSourceUse } from './git-source-use.js';
import type { CreateGitSourceRequest, ListGitSourcesQuery, UpdateGitSourceRequest } from './git-sources.dto.js';
import { type GitSourceView, toGitSourceView } from './git-sources.view.js';
import { GitSource } from './records/git-source.entity.js';
import { GitSourceLookup } from './records/git-source-lookup.js';
import { PlanFolderSettings } from './plan-folder-settings.js';
import { requestSync } from './records/sync-store.js';
import { requireValidSource } from './requested-source.js';
import { GitSourceChange } from './git-source-change.js';

export const MAX_GIT_SOURCES = 500;
const MAX_REFERRERS = 20;

@Injectable()
export class GitSourcesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly queue: JobQueue,
    private readonly keys: KeyVault,
    private readonly lookup: GitSourceLookup,
    private readonly changes: GitSourceChange,
    private readonly planFolders: PlanFolderSettings,
    @Inject(GIT_SOURCE_USE) private readonly uses: readonly GitSourceUse[],
    @Inject(GIT_SOURCE_REACH) private readonly reach: GitSourceReach,
  ) {}

  list(caller: Principal, query: ListGitSourcesQuery): Promise<Page<GitSourceView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      const select = tx
        .getRepository(GitSource)
        .createQueryBuilder('source')
        .where('source.tenantId = :tenantId', caller);
      if (query.name !== undefined)
        select.andWhere('lower(source.name) = lower(:exactName)', { exactName: query.name });
      if (query.q) select.andWhere('source.name ilike :name', { name: toLikePattern(query.q) });
      const page = await readPage(select, query, (source) => source, NAMED_RECORD_COLUMNS);
      return { ...page, items: await this.toViews(tx, caller, page.items) };
    });
  }

  /** @throws Problem 404 */
  get(caller: Principal, id: string): Promise<GitSourceView> {
    return this.units.run(caller.tenantId, (tx) => this.loadView(tx, caller, id));
  }

  /**
   * Registers a source and requests its first sync. @throws Problem 400; 404; 409 `duplicate_name`,
   * `too_many_git_sources`
   */
  create(caller: Principal, request: CreateGitSourceRequest): Promise<GitSourceView> {
    const url = requireValidSource(request);
    const { tenantId } = caller;
    return this.units.run(tenantId, async (tx) => {
      const { sshKeyId } = request.credential ?? {};
      if (sshKeyId !== undefined) await this.keys.getVisibleKey(tx, caller, sshKeyId, '/credential/sshKeyId');
      const count = await tx.getRepository(GitSource).countBy({ tenantId });
      if (count >= MAX_GIT_SOURCES) {
        const message = `A tenant has at most ${MAX_GIT_SOURCES} git sources. Delete sources that you no longer need.`;
        throw conflict('too_many_git_sources', message);
      }
      const id = newId();
      await tx.getRepository(GitSource).insert({
        ...{ id, tenantId, name: request.name, description: request.description ?? '', url: url.text },
        ...this.changes.getInitialColumns(tenantId, id, request),
      });
      await addToDirectory(tx, { kind: 'git_source', key: Buffer.from(id), tenantId, recordId: id });
      await this.planFolders.replaceFolders(tx, caller, id, request.planFolders ?? []);
      await this.requestGitSync(tx, tenantId, id);
      const after = await this.loadView(tx, caller, id);
      await this.audit.recordChange(tx, caller, { action: 'git_source.create', after });
      return after;
    });
  }

  /**
   * Changes a source. An address on another server clears credential and host key, unless the request sets new ones: a
   * credential must not reach a server that it was not meant for.
   * @throws Problem 400; 403 `grant_required`; 404; 409 `duplicate_name`; 412
   */
  update(
    caller: Principal,
    id: string,
    request: UpdateGitSourceRequest,
    version: number | null,
  ): Promise<GitSourceView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const source = await this.lookup.getLocked(tx, caller.tenantId, id);
      requireVersion(source, version);
      const before = await this.loadView(tx, caller, id);
      const { columns, needsSync } = this.changes.getChangedColumns(source, request);
      if (isContentChanged(columns, request)) requireGitSourceReach(source, await this.reach(tx, caller, id));
      const { sshKeyId } = request.credential ?? {};
      if (sshKeyId !== undefined) await this.keys.getVisibleKey(tx, caller, sshKeyId, '/credential/sshKeyId');
      await tx
        .getRepository(GitSource)
        .update(
          { tenantId: caller.tenantId, id },
          { ...columns, updatedAt: () => 'now()', version: () => 'version + 1' },
        );
      if (columns.url !== undefined)
        await affected(
          tx,
          sql`delete from git_source_refs where tenant_id = ${caller.tenantId} and git_source_id = ${id}`,
        );
      if (request.planFolders) await this.planFolders.replaceFolders(tx, caller, id, request.planFolders);
      // New content must be saved with the rights of the member who changes the source, not of the previous member.
      else if (columns.url !== undefined || columns.branch !== undefined || columns.hostKey !== undefined)
        await this.planFolders.takeOverFolders(tx, caller, id);
      if (needsSync) await this.requestGitSync(tx, caller.tenantId, id);
      const after = await this.loadView(tx, caller, id);
      const secret = request.webhookSecret === undefined ? {} : { webhookSecretChanged: true };
      const token = request.credential?.token === undefined ? {} : { tokenChanged: true };
      await this.audit.recordChange(tx, caller, {
        action: 'git_source.update',
        before,
        after: { ...after, ...secret, ...token },
      });
      return after;
    });
  }

  /** @throws Problem 404; 403 `grant_required`; 409 `in_use` with the records that take content from the source; 412 */
  delete(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      const source = await this.lookup.getLocked(tx, caller.tenantId, id);
      requireVersion(source, version);
      const before = await this.loadView(tx, caller, id);
      requireGitSourceReach(source, await this.reach(tx, caller, id));
      const found = (await Promise.all(this.uses.map((use) => use(tx, caller, id, MAX_REFERRERS)))).flat();
      if (found.length > 0) {
        const referrers = found
          .filter(({ visible }) => visible)
          .map(({ type, id: by, name }) => ({ type, id: by, name }));
        const hidden = found.length - referrers.length;
        const others = hidden > 0 ? ` You cannot see ${hidden} of them; ask an admin about those.` : '';
        throw conflict(
          'in_use',
          `Scripts, templates or plans take content from "${source.name}". Set another source for them first.${others}`,
          { referrers, ...(hidden > 0 ? { hiddenReferrers: hidden } : {}) },
        );
      }
      await this.planFolders.replaceFolders(tx, caller, id, []);
      await tx.getRepository(GitSource).delete({ tenantId: caller.tenantId, id });
      await removeFromDirectory(tx, 'git_source', caller.tenantId, [id]);
      await this.audit.recordChange(tx, caller, { action: 'git_source.delete', before });
    });
  }

  /** @throws Problem 404 */
  sync(caller: Principal, id: string): Promise<GitSourceView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const source = await this.lookup.getLocked(tx, caller.tenantId, id);
      await this.requestGitSync(tx, caller.tenantId, id);
      await this.audit.record(tx, caller, {
        action: 'git_source.request_sync',
        resourceId: id,
        resourceName: source.name,
      });
      return this.loadView(tx, caller, id);
    });
  }

  private async requestGitSync(tx: EntityManager, tenantId: string, id: string): Promise<void> {
    await requestSync(tx, tenantId, id);
    await this.queue.enqueueGitSync(tx, { tenantId, gitSourceId: id });
  }

  private async loadView(tx: EntityManager, caller: Principal, id: string): Promise<GitSourceView> {
    const [view] = await this.toViews(tx, caller, [await this.lookup.getVisible(tx, caller.tenantId, id)]);
    if (!view) throw new Error('A git source that was just read has no view.');
    return view;
  }

  private async toViews(tx: EntityManager, caller: Principal, sources: readonly GitSource[]): Promise<GitSourceView[]> {
    const keyIds = sources.flatMap(({ sshKeyId }) => sshKeyId ?? []);
    const names = await this.keys.readNames(tx, caller.tenantId, keyIds);
    const folders = await this.planFolders.getViews(
      tx,
      caller,
      sources.map(({ id }) => id),
    );
    return sources.map((source) =>
      toGitSourceView(source, names.get(source.sshKeyId ?? '') ?? null, folders.get(source.id)),
    );
  }
}

/** Whether the change affects the content of the source, or the member whose rights its plans are saved with. */
const isContentChanged = (
  columns: Partial<Record<'url' | 'branch' | 'sshKeyId' | 'hostKeyFingerprint', unknown>>,
  request: UpdateGitSourceRequest,
): boolean =>
  columns.url !== undefined ||
  columns.branch !== undefined ||
  columns.sshKeyId !== undefined ||
  columns.hostKeyFingerprint !== undefined ||
  request.planFolders !== undefined;
