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
import {
  toStoredContent,
  findContentProblems,
  findInterpreterProblems,
  findContentChoiceProblems,
} from '../library/library-content.js';
import { type ComparedRevisions, compareLibraryRevisions } from '../library/library-diff.js';
import { LibraryRecords } from '../library/library-records.js';
import { toStoredMessage, toRestoredMessage } from '../revisions/revision-message.js';
import type { RestoreRequest } from '../revisions/revisions.dto.js';
import { ThreadPool } from '../common/threads/thread-pool.js';
import { GitSourceReader } from '../git-sources/git-source.reader.js';
import { LIBRARY_USE, type FindLibraryUsers } from '../library/library-use.js';
import { replaceContentByHash } from '../library/hashed-content.js';
import { SCRIPTS } from './script-kind.js';
import type { CreateScriptRequest, ListScriptsQuery, UpdateScriptRequest } from './scripts.dto.js';
import {
  type ScriptRevisionDiffView,
  type ScriptRevisionSummaryView,
  type ScriptRevisionView,
  type ScriptSummaryView,
  type ScriptView,
  toScriptRevisionDiffView,
  toScriptRevisionSummaryView,
  toScriptRevisionView,
  toScriptSummaryView,
  toScriptView,
} from './scripts.view.js';

@Injectable()
export class ScriptsService {
  private readonly records = new LibraryRecords(SCRIPTS);

  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly git: GitSourceReader,
    private readonly threads: ThreadPool,
    @Inject(LIBRARY_USE) private readonly use: FindLibraryUsers,
  ) {}

  list(caller: Principal, query: ListScriptsQuery): Promise<Page<ScriptSummaryView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      const page = await this.records.list(tx, caller, query);
      return { ...page, items: page.items.map(toScriptSummaryView) };
    });
  }

  /** @throws Problem 404 */
  get(caller: Principal, id: string): Promise<ScriptView> {
    return this.units.run(caller.tenantId, (tx) => this.view(tx, caller, id));
  }

  /** @throws Problem 400; 409 `duplicate_name` */
  create(caller: Principal, request: CreateScriptRequest): Promise<ScriptView> {
    requireSound(request, true);
    const { name, description = '', interpreter = null } = request;
    const { content, source } = toStoredContent(request);
    return this.units.run(caller.tenantId, async (tx) => {
      if (source) await this.git.requireVisibleSource(tx, caller, source, '/source');
      const message = toStoredMessage(request.message);
      const id = await this.records.create(tx, caller, { name, description, content, interpreter, source, message });
      const after = await this.view(tx, caller, id);
      await this.recordAudit(tx, caller, 'script.create', null, after);
      return after;
    });
  }

  /**
   * Changes a script. New content or a new interpreter creates a revision. Runs keep the revision in their snapshot.
   * @throws Problem 400; 404; 409 `duplicate_name`; 412
   */
  update(caller: Principal, id: string, request: UpdateScriptRequest, version: number | null): Promise<ScriptView> {
    requireSound(request, false);
    return this.units.run(caller.tenantId, async (tx) => {
      const script = await this.records.getLocked(tx, caller, id);
      requireVersion(script, version);
      const { source } = toStoredContent(request, script);
      if (request.source && source) await this.git.requireVisibleSource(tx, caller, source, '/source');
      await this.records.save(tx, caller, script, {
        name: request.name ?? script.name,
        description: request.description ?? script.description,
        ...toStoredContent(request, script),
        interpreter: request.interpreter === undefined ? script.interpreter : request.interpreter,
        message: toStoredMessage(request.message),
      });
      const after = await this.view(tx, caller, id);
      await this.recordAudit(tx, caller, 'script.update', toScriptView(script), after);
      return after;
    });
  }

  /** @throws Problem 404; 409 `in_use` with the plans that use the script; 412 */
  delete(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      const script = await this.records.getLocked(tx, caller, id);
      requireVersion(script, version);
      await this.records.delete(tx, caller, script, this.use);
      await this.recordAudit(tx, caller, 'script.delete', toScriptView(script), null);
    });
  }

  /** @throws Problem 404 */
  revisions(caller: Principal, id: string, query: ListRevisionsQuery): Promise<Page<ScriptRevisionSummaryView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.records.findVisible(tx, caller, id);
      const page = await this.records.listRevisions(tx, caller, id, query);
      return { ...page, items: page.items.map(toScriptRevisionSummaryView) };
    });
  }

  /** @throws Problem 404 */
  revision(caller: Principal, id: string, number: string): Promise<ScriptRevisionView> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.records.findVisible(tx, caller, id);
      return toScriptRevisionView(await this.records.findRevision(tx, caller, id, number));
    });
  }

  /** Returns what a revision changed. @throws Problem 404 */
  async diff(caller: Principal, id: string, compared: ComparedRevisions): Promise<ScriptRevisionDiffView> {
    return toScriptRevisionDiffView(
      await compareLibraryRevisions(this.records, { units: this.units, threads: this.threads }, caller, {
        id,
        ...compared,
      }),
    );
  }

  /**
   * Saves the content of an earlier revision as a new revision.
   * @throws Problem 400 and 404 as for an update with that content; 412
   */
  restore(
    caller: Principal,
    id: string,
    { revision, message }: RestoreRequest,
    version: number | null,
  ): Promise<ScriptView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const script = await this.records.getLocked(tx, caller, id);
      requireVersion(script, version);
      const restoredRevision = await this.records.findRevision(tx, caller, id, revision, '/revision');
      const { content, interpreter, source } = restoredRevision;
      requireSound({ interpreter, ...(source ? {} : { content }) }, false);
      if (source) await this.git.requireVisibleSource(tx, caller, source, '/source');
      await this.records.save(tx, caller, script, {
        ...{ name: script.name, description: script.description, content, interpreter, source },
        message: toRestoredMessage(message, revision),
      });
      const after = await this.view(tx, caller, id);
      await this.recordAudit(tx, caller, 'script.restore', toScriptView(script), after);
      return after;
    });
  }

  private async view(tx: EntityManager, caller: Principal, id: string): Promise<ScriptView> {
    return toScriptView(await this.records.findVisible(tx, caller, id));
  }

  private recordAudit(
    tx: EntityManager,
    caller: Principal,
    action: AuditActionName,
    before: ScriptView | null,
    after: ScriptView | null,
  ): Promise<void> {
    const audited = { before: auditedScript(before), after: auditedScript(after) };
    return this.audit.recordChange(tx, caller, { action, ...audited });
  }
}

/** Omits fields that are derived from other fields. */
function auditedScript(script: ScriptView | null) {
  if (script === null) return null;
  const { program: _, warnings: __, ...fields } = script;
  return replaceContentByHash(fields);
}

/** @throws Problem 400 */
function requireSound(request: UpdateScriptRequest, isNew: boolean): void {
  const { content, interpreter } = request;
  const problems = [
    ...findContentChoiceProblems(request, isNew),
    ...(content === undefined ? [] : findContentProblems(content, '/content')),
    ...(interpreter == null ? [] : findInterpreterProblems(interpreter, '/interpreter')),
  ];
  if (problems.length > 0) throw invalidRequest(problems, 'The script was not saved.');
}
