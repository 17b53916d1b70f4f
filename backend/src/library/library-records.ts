import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { conflict, notFound } from '../common/errors/problem.js';
import { affected, row, rows, sql, type Sql } from '../common/database/sql.js';
import { DEFAULT_PAGE_LIMIT, toLikePattern, type Page } from '../common/http/paging/page.js';
import { ListOrder, NAMED_RECORD_COLUMNS, type SortedQuery } from '../common/http/paging/sorted-page.js';
import { isId, newId } from '../common/ids.js';
import { parseRevisionNumber } from '../revisions/revision-number.js';
import { type RevisionAuthor, type RevisionRange, revisionAuthors } from '../revisions/revision-author.js';
import {
  type ContentSource,
  type LibraryKind,
  type LibraryRevisionRow,
  type LibraryRow,
  type LibrarySave,
  type WithContent,
  revisionTableOf,
} from './library-kind.js';
import type { FindLibraryUsers } from './library-use.js';

const SOURCE_COLUMN = sql`case when r.git_source_id is not null
  then jsonb_build_object('gitSourceId', r.git_source_id, 'path', r.git_path, 'ref', r.git_ref) end as source`;
const RECORD_COLUMNS = sql`l.id, l.name, l.description, l.revision, l.created_at, l.updated_at, l.version, r.interpreter,
  split_part(left(r.content, 4096), e'\\n', 1) as first_line, octet_length(r.content) as bytes, ${SOURCE_COLUMN}`;
const REVISION_COLUMNS = sql`r.id, r.number, r.interpreter, octet_length(r.content) as bytes, ${SOURCE_COLUMN}, r.message,
  r.created_by, r.created_by_name, r.created_at`;
const MAX_REFERRERS = 20;

type WithSortKey<R> = R & { sort_key: string | null };

/** Storage of one kind of library record. Scripts and templates are stored alike. */
export class LibraryRecords {
  constructor(private readonly kind: LibraryKind) {}

  async list(
    tx: EntityManager,
    caller: Principal,
    query: SortedQuery & { q?: string; name?: string },
  ): Promise<Page<LibraryRow>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const order = new ListOrder(query, NAMED_RECORD_COLUMNS, 'l');
    const conditions = [
      sql`l.tenant_id = ${caller.tenantId}`,
      ...(query.q ? [sql`l.name ilike ${toLikePattern(query.q)}`] : []),
      ...(query.name === undefined ? [] : [sql`lower(l.name) = lower(${query.name})`]),
      ...order.afterCursorSql(),
    ];
    const found = await rows(
      tx,
      sql<WithSortKey<LibraryRow>>`select ${RECORD_COLUMNS}, ${order.key} as sort_key from ${this.latestRevisionsSql()}
        where ${sql.all(conditions)} order by ${order.orderBy} limit ${limit + 1}`,
    );
    return order.toPage(found, limit, ({ sort_key: _, ...record }) => record);
  }

  /**
   * @param path JSON pointer of the ID in the body, if any
   * @throws Problem 404
   */
  async findVisible(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<WithContent<LibraryRow>> {
    if (!isId(id)) throw notFound(path);
    const record = await row(
      tx,
      sql<WithContent<LibraryRow>>`select ${RECORD_COLUMNS}, r.content from ${this.latestRevisionsSql()}
        where l.tenant_id = ${caller.tenantId} and l.id = ${id}`,
    );
    if (!record) throw notFound(path);
    return record;
  }

  /**
   * Like `findVisible`, but locks the record until the transaction ends: no plan can start to use it, and no other
   * transaction can change it.
   * @throws Problem 404
   */
  async getLocked(tx: EntityManager, caller: Principal, id: string): Promise<WithContent<LibraryRow>> {
    if (isId(id)) {
      await row(
        tx,
        sql`select 1 from ${this.kind.records} where tenant_id = ${caller.tenantId} and id = ${id} for update`,
      );
    }
    return this.findVisible(tx, caller, id);
  }

  /**
   * Returns the latest revisions of the tenant's records among the IDs, by ID. Prevents deletion of these records until
   * the transaction ends.
   */
  async findUsedRevisions(
    tx: EntityManager,
    tenantId: string,
    ids: readonly string[],
  ): Promise<Map<string, WithContent<LibraryRow>>> {
    const requestedIds = [...new Set(ids.filter(isId))].sort();
    if (requestedIds.length === 0) return new Map();
    // Locks in a separate statement: a statement that locks and reads would see the new row after waiting, but not its
    // newer revision.
    await rows(
      tx,
      sql`select from ${this.kind.records} l where l.tenant_id = ${tenantId} and l.id = any (${requestedIds})
        order by l.id for key share`,
    );
    const found = await rows(
      tx,
      sql<WithContent<LibraryRow>>`select ${RECORD_COLUMNS}, r.content from ${this.latestRevisionsSql()}
        where l.tenant_id = ${tenantId} and l.id = any (${requestedIds})`,
    );
    return new Map(found.map((record) => [record.id, record]));
  }

  /** Finds records by ID or name, ignoring case. Returns their IDs and names. */
  findByNameOrId(
    tx: EntityManager,
    tenantId: string,
    namesOrIds: readonly string[],
  ): Promise<{ id: string; name: string }[]> {
    const names = namesOrIds.map((name) => name.toLowerCase());
    return rows(
      tx,
      sql<{ id: string; name: string }>`select id, name from ${this.kind.records}
        where tenant_id = ${tenantId} and (lower(name) = any (${names}) or id = any (${namesOrIds.filter(isId)}))`,
    );
  }

  /** @returns ID of the new record */
  async create(tx: EntityManager, caller: Principal, { name, description, ...content }: LibrarySave): Promise<string> {
    const id = newId();
    await affected(
      tx,
      sql`insert into ${this.kind.records} (id, tenant_id, name, description, revision)
        values (${id}, ${caller.tenantId}, ${name}, ${description}, 1)`,
    );
    await this.addRevision(tx, caller, id, 1, content);
    return id;
  }

  /** Returns the first `limit` records, by name, whose latest revision takes its content from this git source. */
  listFromGitSource(
    tx: EntityManager,
    tenantId: string,
    gitSourceId: string,
    limit: number,
  ): Promise<{ id: string; name: string }[]> {
    return rows(
      tx,
      sql<{ id: string; name: string }>`select l.id, l.name from ${this.latestRevisionsSql()}
        where l.tenant_id = ${tenantId} and r.git_source_id = ${gitSourceId} order by lower(l.name) limit ${limit}`,
    );
  }

  /**
   * Saves a locked record. Creates a revision if content or interpreter changes, but not for a change of the name
   * alone.
   */
  async save(
    tx: EntityManager,
    caller: Principal,
    before: WithContent<LibraryRow>,
    { name, description, ...content }: LibrarySave,
  ): Promise<void> {
    const isSameContent =
      before.content === content.content &&
      before.interpreter === content.interpreter &&
      isSameSource(before.source, content.source);
    const revision = isSameContent ? before.revision : before.revision + 1;
    await affected(
      tx,
      sql`update ${this.kind.records} set name = ${name}, description = ${description}, revision = ${revision},
          updated_at = now(), version = version + 1
        where tenant_id = ${caller.tenantId} and id = ${before.id}`,
    );
    if (!isSameContent) await this.addRevision(tx, caller, before.id, revision, content);
  }

  /**
   * Deletes a locked record.
   * @throws Problem 409 `in_use` with the plans whose latest revision uses the record
   */
  async delete(tx: EntityManager, caller: Principal, record: LibraryRow, use: FindLibraryUsers): Promise<void> {
    const { stepField, word } = this.kind;
    const plans = await use(tx, caller, stepField, record.id, MAX_REFERRERS);
    const [first] = plans;
    if (first) {
      const others = first.hidden > 0 ? ` You cannot see ${first.hidden} of them; ask an admin about those.` : '';
      throw conflict(
        'in_use',
        `Plans use the ${word} "${record.name}". Take it out of their steps, or delete those plans first.${others}`,
        {
          referrers: plans.filter(({ visible }) => visible).map(({ id, name }) => ({ type: 'plan', id, name })),
          ...(first.hidden > 0 ? { hiddenReferrers: first.hidden } : {}),
        },
      );
    }
    await affected(
      tx,
      sql`delete from ${this.kind.records} where tenant_id = ${caller.tenantId} and id = ${record.id}`,
    );
  }

  async listRevisions(
    tx: EntityManager,
    caller: Principal,
    id: string,
    query: SortedQuery,
  ): Promise<Page<LibraryRevisionRow>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const order = new ListOrder(query, {}, 'r');
    const ofRecord = sql`r.tenant_id = ${caller.tenantId} and r.record_id = ${id}`;
    const found = await rows(
      tx,
      sql<WithSortKey<LibraryRevisionRow>>`select ${REVISION_COLUMNS}, null as sort_key from ${this.kind.revisions} r
        where ${sql.all([ofRecord, ...order.afterCursorSql()])} order by ${order.orderBy} limit ${limit + 1}`,
    );
    return order.toPage(found, limit, (revision) => revision);
  }

  /**
   * @param number revision number from the path or a field
   * @param path JSON pointer of that field
   * @throws Problem 404
   */
  async findRevision(
    tx: EntityManager,
    caller: Principal,
    id: string,
    number: string | number,
    path?: string,
  ): Promise<WithContent<LibraryRevisionRow>> {
    const requested = parseRevisionNumber(number);
    if (requested === null) throw notFound(path);
    const revision = await row(
      tx,
      sql<WithContent<LibraryRevisionRow>>`select ${REVISION_COLUMNS}, r.content from ${this.kind.revisions} r
        where tenant_id = ${caller.tenantId} and record_id = ${id} and number = ${requested}`,
    );
    if (!revision) throw notFound(path);
    return revision;
  }

  /** Returns the authors of these revisions; null = the record was deleted. */
  findRevisionAuthors(tx: EntityManager, tenantId: string, range: RevisionRange): Promise<RevisionAuthor[] | null> {
    return revisionAuthors(tx, tenantId, revisionTableOf(this.kind), range);
  }

  private latestRevisionsSql(): Sql {
    return sql`${this.kind.records} l
      join ${this.kind.revisions} r on r.tenant_id = l.tenant_id and r.record_id = l.id and r.number = l.revision`;
  }

  private async addRevision(
    tx: EntityManager,
    caller: Principal,
    id: string,
    number: number,
    { content, interpreter, source, message }: Omit<LibrarySave, 'name' | 'description'>,
  ): Promise<void> {
    await affected(
      tx,
      sql`insert into ${this.kind.revisions} (id, tenant_id, record_id, number, content, interpreter, created_by,
          created_by_name, git_source_id, git_path, git_ref, message)
        values (${newId()}, ${caller.tenantId}, ${id}, ${number}, ${content}, ${interpreter}, ${caller.userId},
          ${caller.name}, ${source?.gitSourceId ?? null}, ${source?.path ?? null}, ${source?.ref ?? null}, ${message})`,
    );
  }
}

export const isSameSource = (one: ContentSource | null, other: ContentSource | null): boolean =>
  one?.gitSourceId === other?.gitSourceId && one?.path === other?.path && one?.ref === other?.ref;
