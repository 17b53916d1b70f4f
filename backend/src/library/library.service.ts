import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import type { UnitOfWork } from '../common/database/unit-of-work.js';
import type { ProblemItem } from '../common/errors/problem-item.js';
import { invalidRequest } from '../common/errors/problem.js';
import { requireVersion } from '../common/http/etag.js';
import type { ListRevisionsQuery, NamedListQuery } from '../common/http/paging/page.dto.js';
import type { Page } from '../common/http/paging/page.js';
import type { ThreadPool } from '../common/threads/thread-pool.js';
import { toRestoredMessage, toStoredMessage } from '../revisions/revision-message.js';
import type { RestoreRequest } from '../revisions/revisions.dto.js';
import {
  findContentChoiceProblems,
  findContentProblems,
  type RequestedContent,
  toStoredContent,
} from './library-content.js';
import { type ComparedRevisions, compareLibraryRevisions, type LibraryDiff } from './library-diff.js';
import type {
  ContentSource,
  LibraryKind,
  LibraryRevisionRow,
  LibraryRow,
  LibrarySave,
  WithContent,
} from './library-kind.js';
import { LibraryRecords } from './library-records.js';
import type { FindLibraryUsers } from './library-use.js';

export interface LibraryUpdate extends RequestedContent {
  name?: string;
  description?: string;
  /** Null = the first line of the content decides; undefined = unchanged. */
  interpreter?: string | null;
  message?: string | null;
}

export interface LibraryViews<Summary, View, Revision> {
  toSummary: (record: LibraryRow) => Summary;
  toView: (record: WithContent<LibraryRow>) => View;
  toRevision: (revision: LibraryRevisionRow) => Revision;
  /** Fields for audit entries, without the content and without fields that are derived from others. */
  toAudited: (record: LibraryRow) => { id: string; name: string };
}

export interface LibraryDependencies {
  units: UnitOfWork;
  audit: AuditTrail;
  threads: ThreadPool;
  /** Reader of git sources, which are in a higher layer. */
  git: {
    requireVisibleSource(tx: EntityManager, caller: Principal, source: ContentSource, path: string): Promise<void>;
  };
  use: FindLibraryUsers;
}

/** Use cases that scripts and templates share. */
export abstract class LibraryService<Summary, View, Revision> {
  private readonly records: LibraryRecords;

  protected constructor(
    private readonly kind: LibraryKind,
    private readonly views: LibraryViews<Summary, View, Revision>,
    private readonly dependencies: LibraryDependencies,
  ) {
    this.records = new LibraryRecords(kind);
  }

  list(caller: Principal, query: NamedListQuery): Promise<Page<Summary>> {
    return this.run(caller, async (tx) => {
      const page = await this.records.list(tx, caller, query);
      return { ...page, items: page.items.map(this.views.toSummary) };
    });
  }

  /** @throws Problem 404 */
  get(caller: Principal, id: string): Promise<View> {
    return this.run(caller, async (tx) => this.views.toView(await this.records.findVisible(tx, caller, id)));
  }

  /** @throws Problem 400; 409 `duplicate_name` */
  async create(caller: Principal, request: LibraryUpdate & { name: string }): Promise<View> {
    await this.validate(caller, request, true);
    const { name, description = '', interpreter = null } = request;
    const { content, source } = toStoredContent(request);
    return this.run(caller, async (tx) => {
      if (source) await this.dependencies.git.requireVisibleSource(tx, caller, source, '/source');
      const message = toStoredMessage(request.message);
      const id = await this.records.create(tx, caller, { name, description, content, interpreter, source, message });
      const after = await this.records.findVisible(tx, caller, id);
      await this.recordAudit(tx, caller, 'create', null, after);
      return this.views.toView(after);
    });
  }

  /**
   * New content or a new interpreter creates a revision. Runs keep the revision in their snapshot.
   * @throws Problem 400; 404; 409 `duplicate_name`; 412
   */
  async update(caller: Principal, id: string, request: LibraryUpdate, version: number | null): Promise<View> {
    await this.validate(caller, request, false);
    return this.run(caller, async (tx) => {
      const record = await this.records.getLocked(tx, caller, id);
      requireVersion(record, version);
      const { content, source } = toStoredContent(request, record);
      if (request.source && source) await this.dependencies.git.requireVisibleSource(tx, caller, source, '/source');
      return this.save(tx, caller, 'update', record, {
        name: request.name ?? record.name,
        description: request.description ?? record.description,
        ...{ content, source },
        interpreter: request.interpreter === undefined ? record.interpreter : request.interpreter,
        message: toStoredMessage(request.message),
      });
    });
  }

  /** @throws Problem 404; 409 `in_use` with the plans that use the record; 412 */
  delete(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.run(caller, async (tx) => {
      const record = await this.records.getLocked(tx, caller, id);
      requireVersion(record, version);
      await this.records.delete(tx, caller, record, this.dependencies.use);
      await this.recordAudit(tx, caller, 'delete', record, null);
    });
  }

  /** @throws Problem 404 */
  revisions(caller: Principal, id: string, query: ListRevisionsQuery): Promise<Page<Revision>> {
    return this.run(caller, async (tx) => {
      await this.records.findVisible(tx, caller, id);
      const page = await this.records.listRevisions(tx, caller, id, query);
      return { ...page, items: page.items.map(this.views.toRevision) };
    });
  }

  /** @throws Problem 404 */
  revision(caller: Principal, id: string, number: string): Promise<WithContent<Revision>> {
    return this.run(caller, async (tx) => {
      await this.records.findVisible(tx, caller, id);
      const revision = await this.records.findRevision(tx, caller, id, number);
      return { ...this.views.toRevision(revision), content: revision.content };
    });
  }

  /** @throws Problem 404; 429 `too_many_at_once`, 503 `busy` */
  async diff(
    caller: Principal,
    id: string,
    compared: ComparedRevisions,
  ): Promise<Omit<LibraryDiff, 'from' | 'to'> & { from: Revision | null; to: Revision }> {
    const { from, to, ...diff } = await compareLibraryRevisions(this.records, this.dependencies, caller, {
      id,
      ...compared,
    });
    return { from: from && this.views.toRevision(from), to: this.views.toRevision(to), ...diff };
  }

  /**
   * Saves the content of an earlier revision as a new one.
   * @throws Problem 400, 404 as for an update with that content; 412
   */
  async restore(
    caller: Principal,
    id: string,
    { revision, message }: RestoreRequest,
    version: number | null,
  ): Promise<View> {
    const { content, interpreter, source } = await this.run(caller, async (tx) => {
      requireVersion(await this.records.findVisible(tx, caller, id), version);
      return this.records.findRevision(tx, caller, id, revision, '/revision');
    });
    await this.validate(caller, { interpreter, ...(source ? {} : { content }) }, false);
    return this.run(caller, async (tx) => {
      const record = await this.records.getLocked(tx, caller, id);
      requireVersion(record, version);
      if (source) await this.dependencies.git.requireVisibleSource(tx, caller, source, '/source');
      return this.save(tx, caller, 'restore', record, {
        ...{ name: record.name, description: record.description, content, interpreter, source },
        message: toRestoredMessage(message, revision),
      });
    });
  }

  /**
   * Returns faults that only records of this kind have.
   * @param content content that satisfies the shared rules; undefined = unchanged or already faulty
   */
  protected abstract findFaults(
    caller: Principal,
    requested: { content?: string; interpreter?: string | null },
  ): Promise<ProblemItem[]>;

  /**
   * Call it outside of transactions: it can render the content in another thread.
   * @throws Problem 400
   */
  private async validate(caller: Principal, request: LibraryUpdate, isNew: boolean): Promise<void> {
    const { content, interpreter } = request;
    const shared = findContentChoiceProblems(request, isNew);
    if (content !== undefined) shared.push(...findContentProblems(content, '/content'));
    const own = await this.findFaults(caller, { interpreter, ...(shared.length === 0 ? { content } : {}) });
    if (shared.length + own.length > 0)
      throw invalidRequest([...shared, ...own], `The ${this.kind.word} was not saved.`);
  }

  private async save(
    tx: EntityManager,
    caller: Principal,
    action: 'update' | 'restore',
    before: WithContent<LibraryRow>,
    save: LibrarySave,
  ): Promise<View> {
    await this.records.save(tx, caller, before, save);
    const after = await this.records.findVisible(tx, caller, before.id);
    await this.recordAudit(tx, caller, action, before, after);
    return this.views.toView(after);
  }

  private recordAudit(
    tx: EntityManager,
    caller: Principal,
    action: 'create' | 'update' | 'delete' | 'restore',
    before: WithContent<LibraryRow> | null,
    after: WithContent<LibraryRow> | null,
  ): Promise<void> {
    const toAudited = (record: WithContent<LibraryRow> | null) =>
      record && {
        ...this.views.toAudited(record),
        contentSha256: createHash('sha256').update(record.content).digest('hex'),
      };
    return this.dependencies.audit.recordChange(tx, caller, {
      action: `${this.kind.word}.${action}`,
      before: toAudited(before),
      after: toAudited(after),
    });
  }

  private run<T>(caller: Principal, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.dependencies.units.run(caller.tenantId, work);
  }
}
