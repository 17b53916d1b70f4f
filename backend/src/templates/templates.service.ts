import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../audit/audit-actions.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { invalidRequest } from '../common/errors/problem.js';
import { requireVersion } from '../common/http/etag.js';
import type { ListRevisionsQuery } from '../common/http/paging/page.dto.js';
import type { Page } from '../common/http/paging/page.js';
import { toStoredContent, findContentProblems, findContentChoiceProblems } from '../library/library-content.js';
import { type ComparedRevisions, compareLibraryRevisions } from '../library/library-diff.js';
import { LibraryRecords } from '../library/library-records.js';
import { toStoredMessage, toRestoredMessage } from '../revisions/revision-message.js';
import type { RestoreRequest } from '../revisions/revisions.dto.js';
import { ThreadPool } from '../common/threads/thread-pool.js';
import { GitSourceReader } from '../git-sources/git-source.reader.js';
import { LIBRARY_USE, type FindLibraryUsers } from '../library/library-use.js';
import { replaceContentByHash } from '../library/hashed-content.js';
import { TemplateRenderer } from './rendering/template-renderer.js';
import { jinjaProblems, templateFault, templateProblem } from './rendering/template-fault.js';
import { TEMPLATES } from './template-kind.js';
import type { CreateTemplateRequest, ListTemplatesQuery, UpdateTemplateRequest } from './templates.dto.js';
import {
  type TemplateRevisionDiffView,
  type TemplateRevisionSummaryView,
  type TemplateRevisionView,
  type TemplateSummaryView,
  type TemplateView,
  toTemplateRevisionDiffView,
  toTemplateRevisionSummaryView,
  toTemplateRevisionView,
  toTemplateSummaryView,
  toTemplateView,
} from './templates.view.js';

@Injectable()
export class TemplatesService {
  private readonly records = new LibraryRecords(TEMPLATES);

  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly renderer: TemplateRenderer,
    private readonly git: GitSourceReader,
    private readonly threads: ThreadPool,
    @Inject(LIBRARY_USE) private readonly use: FindLibraryUsers,
  ) {}

  list(caller: Principal, query: ListTemplatesQuery): Promise<Page<TemplateSummaryView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      const page = await this.records.list(tx, caller, query);
      return { ...page, items: page.items.map(toTemplateSummaryView) };
    });
  }

  /** @throws Problem 404 */
  get(caller: Principal, id: string): Promise<TemplateView> {
    return this.units.run(caller.tenantId, (tx) => this.view(tx, caller, id));
  }

  /** @throws Problem 400; 409 `duplicate_name` */
  async create(caller: Principal, request: CreateTemplateRequest): Promise<TemplateView> {
    await this.validate(caller, request, true);
    const { name, description = '' } = request;
    const { content, source } = toStoredContent(request);
    return this.units.run(caller.tenantId, async (tx) => {
      if (source) await this.git.requireVisibleSource(tx, caller, source, '/source');
      const message = toStoredMessage(request.message);
      const saved = { name, description, content, interpreter: null, source, message };
      const id = await this.records.create(tx, caller, saved);
      const after = await this.view(tx, caller, id);
      await this.recordAudit(tx, caller, 'template.create', null, after);
      return after;
    });
  }

  /**
   * New content creates a revision. Runs keep the revision in their snapshot.
   * @throws Problem 400; 404; 409 `duplicate_name`; 412
   */
  async update(
    caller: Principal,
    id: string,
    request: UpdateTemplateRequest,
    version: number | null,
  ): Promise<TemplateView> {
    await this.validate(caller, request, false);
    return this.units.run(caller.tenantId, async (tx) => {
      const template = await this.records.getLocked(tx, caller, id);
      requireVersion(template, version);
      const { source } = toStoredContent(request, template);
      if (request.source && source) await this.git.requireVisibleSource(tx, caller, source, '/source');
      await this.records.save(tx, caller, template, {
        name: request.name ?? template.name,
        description: request.description ?? template.description,
        ...toStoredContent(request, template),
        interpreter: null,
        message: toStoredMessage(request.message),
      });
      const after = await this.view(tx, caller, id);
      await this.recordAudit(tx, caller, 'template.update', toTemplateView(template), after);
      return after;
    });
  }

  /** @throws Problem 404; 409 `in_use` with the plans that use the template; 412 */
  delete(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      const template = await this.records.getLocked(tx, caller, id);
      requireVersion(template, version);
      await this.records.delete(tx, caller, template, this.use);
      await this.recordAudit(tx, caller, 'template.delete', toTemplateView(template), null);
    });
  }

  /** @throws Problem 404 */
  revisions(caller: Principal, id: string, query: ListRevisionsQuery): Promise<Page<TemplateRevisionSummaryView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.records.findVisible(tx, caller, id);
      const page = await this.records.listRevisions(tx, caller, id, query);
      return { ...page, items: page.items.map(toTemplateRevisionSummaryView) };
    });
  }

  /** @throws Problem 404 */
  revision(caller: Principal, id: string, number: string): Promise<TemplateRevisionView> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.records.findVisible(tx, caller, id);
      return toTemplateRevisionView(await this.records.findRevision(tx, caller, id, number));
    });
  }

  /** @throws Problem 404 */
  async diff(caller: Principal, id: string, compared: ComparedRevisions): Promise<TemplateRevisionDiffView> {
    return toTemplateRevisionDiffView(
      await compareLibraryRevisions(this.records, { units: this.units, threads: this.threads }, caller, {
        id,
        ...compared,
      }),
    );
  }

  /**
   * Saves the content of an earlier revision as a new one.
   * @throws Problem 400, 404 like an update with that content; 412
   */
  async restore(
    caller: Principal,
    id: string,
    { revision, message }: RestoreRequest,
    version: number | null,
  ): Promise<TemplateView> {
    const restored = await this.units.run(caller.tenantId, async (tx) => {
      requireVersion(await this.records.findVisible(tx, caller, id), version);
      return this.records.findRevision(tx, caller, id, revision, '/revision');
    });
    const { content, interpreter, source } = restored;
    if (!source) await this.validate(caller, { content }, false);
    return this.units.run(caller.tenantId, async (tx) => {
      const template = await this.records.getLocked(tx, caller, id);
      requireVersion(template, version);
      if (source) await this.git.requireVisibleSource(tx, caller, source, '/source');
      await this.records.save(tx, caller, template, {
        ...{ name: template.name, description: template.description, content, interpreter, source },
        message: toRestoredMessage(message, revision),
      });
      const after = await this.view(tx, caller, id);
      await this.recordAudit(tx, caller, 'template.restore', toTemplateView(template), after);
      return after;
    });
  }

  private async view(tx: EntityManager, caller: Principal, id: string): Promise<TemplateView> {
    return toTemplateView(await this.records.findVisible(tx, caller, id));
  }

  private recordAudit(
    tx: EntityManager,
    caller: Principal,
    action: AuditActionName,
    before: TemplateView | null,
    after: TemplateView | null,
  ): Promise<void> {
    const contents = { before: replaceContentByHash(before), after: replaceContentByHash(after) };
    return this.audit.recordChange(tx, caller, { action, ...contents });
  }

  /** @throws Problem 400 if the template is invalid */
  private async validate(caller: Principal, request: UpdateTemplateRequest, isNew: boolean): Promise<void> {
    const { content } = request;
    const problems = findContentChoiceProblems(request, isNew);
    if (content !== undefined) problems.push(...findContentProblems(content, '/content'));
    if (problems.length === 0 && content !== undefined) problems.push(...jinjaProblems('/content', content));
    if (problems.length === 0 && content !== undefined) {
      const renderer = this.renderer.of({ tenantId: caller.tenantId, asks: 'request' });
      const fault = await renderer.check(content).then(() => null, templateFault);
      if (fault) problems.push(templateProblem('/content', fault));
    }
    if (problems.length > 0) throw invalidRequest(problems, 'The template was not saved.');
  }
}
