import type { EntityManager } from 'typeorm';
import type { Principal } from '../access/principal.js';
import { conflict, notFound } from '../errors/problem.js';
import { allOf, conditionIf, StatementValues } from '../database/statement-values.js';
import { DEFAULT_LIMIT, likePattern, type Page } from '../http/paging/page.js';
import { ListOrder, NAMED_RECORD, type SortedQuery } from '../http/paging/sorted-page.js';
import { isId, newId } from '../ids.js';
import { revisionNumber } from '../revisions/revision-number.js';
import { type RevisionAuthor, type RevisionRange, revisionAuthors } from '../revisions/revision-author.js';
import type {
  ContentSource,
  LibraryKind,
  LibraryRevisionRow,
  LibraryRow,
  LibrarySave,
  WithContent,
} from './library-kind.js';
import type { LibraryUse } from './library-use.js';

const SOURCE_COLUMN = `case when r.git_source_id is not null
  then jsonb_build_object('gitSourceId', r.git_source_id, 'path', r.git_path, 'ref', r.git_ref) end as source`;
const RECORD_COLUMNS = `l.id, l.name, l.description, l.revision, l.created_at, l.updated_at, l.version, r.interpreter,
  split_part(left(r.content, 4096), e'\\n', 1) as first_line, octet_length(r.content) as bytes, ${SOURCE_COLUMN}`;
const REVISION = `r.id, r.number, r.interpreter, octet_length(r.content) as bytes, ${SOURCE_COLUMN}, r.message, r.created_by, r.created_by_name,
  r.created_at`;
const MAX_REFERRERS = 20;

type Sorted<R> = R & { sort_key: string | null };

/** Storage of one kind of library record. Scripts and templates are stored alike. */
export class LibraryRecords {
  constructor(private readonly kind: LibraryKind) {}

  async list(
    tx: EntityManager,
    caller: Principal,
    query: SortedQuery & { q?: string; name?: string },
  ): Promise<Page<LibraryRow>> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const order = new ListOrder(query, NAMED_RECORD, 'l');
    const values = new StatementValues();
    const conditions = [
      `l.tenant_id = ${values.of(caller.tenantId)}`,
      ...conditionIf(values, query.q ? likePattern(query.q) : null, (pattern) => `l.name ilike ${pattern}`),
      ...conditionIf(values, query.name, (name) => `lower(l.name) = lower(${name})`),
      ...order.afterCursor(values),
    ];
    const rows = await tx.query<Sorted<LibraryRow>[]>(
      `select ${RECORD_COLUMNS}, ${order.key} as sort_key from ${this.latest()}
        where ${allOf(conditions)} order by ${order.orderBy} limit ${values.of(limit + 1)}`,
      values.list,
    );
    return order.page(rows, limit, ({ sort_key: _, ...row }) => row);
  }

  /**
   * @param path JSON pointer of the ID in the body, if any
   * @throws Problem 404
   */
  async visible(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<WithContent<LibraryRow>> {
    const [row] = isId(id)
      ? await tx.query<WithContent<LibraryRow>[]>(
          `select ${RECORD_COLUMNS}, r.content from ${this.latest()} where l.tenant_id = $1 and l.id = $2`,
          [caller.tenantId, id],
        )
      : [];
    if (!row) throw notFound(path);
    return row;
  }

  /**
   * Like `visible`, but locks the record until the transaction ends: no plan can start to use it, and no other
   * transaction can change it.
   * @throws Problem 404
   */
  async getLocked(tx: EntityManager, caller: Principal, id: string): Promise<WithContent<LibraryRow>> {
    if (isId(id)) {
      await tx.query(`select 1 from ${this.kind.records} where tenant_id = $1 and id = $2 for update`, [
        caller.tenantId,
        id,
      ]);
    }
    return this.visible(tx, caller, id);
  }

  /**
   * Returns the latest revisions of the tenant's records among the IDs, by ID. Prevents deletion of these records until
   * the transaction ends.
   */
  async used(
    tx: EntityManager,
    tenantId: string,
    ids: readonly string[],
  ): Promise<Map<string, WithContent<LibraryRow>>> {
    const requestedIds = [...new Set(ids.filter(isId))].sort();
    if (requestedIds.length === 0) return new Map();
    // Locks in a separate statement: a statement that locks and reads would see the new row after waiting, but not its
    // newer revision.
    await tx.query(
      `select from ${this.kind.records} l where l.tenant_id = $1 and l.id = any ($2) order by l.id for key share`,
      [tenantId, requestedIds],
    );
    const rows = await tx.query<WithContent<LibraryRow>[]>(
      `select ${RECORD_COLUMNS}, r.content from ${this.latest()} where l.tenant_id = $1 and l.id = any ($2)`,
      [tenantId, requestedIds],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Finds records by ID or name, ignoring case. Returns their IDs and names. */
  named(tx: EntityManager, tenantId: string, namesOrIds: readonly string[]): Promise<{ id: string; name: string }[]> {
    return tx.query(
      `select id, name from ${this.kind.records} where tenant_id = $1 and (lower(name) = any ($2) or id = any ($3))`,
      [tenantId, namesOrIds.map((name) => name.toLowerCase()), namesOrIds.filter(isId)],
    );
  }

  /** @returns ID of the new record */
  async create(tx: EntityManager, caller: Principal, { name, description, ...content }: LibrarySave): Promise<string> {
    const id = newId();
    await tx.query(
      `insert into ${this.kind.records} (id, tenant_id, name, description, revision) values ($1, $2, $3, $4, 1)`,
      [id, caller.tenantId, name, description],
    );
    await this.addRevision(tx, caller, id, 1, content);
    return id;
  }

  /** Returns the first `limit` records, by name, whose latest revision takes its content from this git source. */
  fromSource(
    tx: EntityManager,
    tenantId: string,
    gitSourceId: string,
    limit: number,
  ): Promise<{ id: string; name: string }[]> {
    return tx.query(
      `select l.id, l.name from ${this.latest()} where l.tenant_id = $1 and r.git_source_id = $2 order by lower(l.name) limit $3`,
      [tenantId, gitSourceId, limit],
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
    await tx.query(
      `update ${this.kind.records} set name = $3, description = $4, revision = $5, updated_at = now(), version = version + 1
        where tenant_id = $1 and id = $2`,
      [caller.tenantId, before.id, name, description, revision],
    );
    if (!isSameContent) await this.addRevision(tx, caller, before.id, revision, content);
  }

  /**
   * Deletes a locked record.
   * @throws Problem 409 `in_use` with the plans whose latest revision uses the record
   */
  async delete(tx: EntityManager, caller: Principal, record: LibraryRow, use: LibraryUse): Promise<void> {
    const { records, stepField, word } = this.kind;
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
    await tx.query(`delete from ${records} where tenant_id = $1 and id = $2`, [caller.tenantId, record.id]);
  }

  async revisions(
    tx: EntityManager,
    caller: Principal,
    id: string,
    query: SortedQuery,
  ): Promise<Page<LibraryRevisionRow>> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const order = new ListOrder(query, {}, 'r');
    const values = new StatementValues();
    const conditions = [
      `r.tenant_id = ${values.of(caller.tenantId)}`,
      `r.record_id = ${values.of(id)}`,
      ...order.afterCursor(values),
    ];
    const rows = await tx.query<Sorted<LibraryRevisionRow>[]>(
      `select ${REVISION}, null as sort_key from ${this.kind.revisions} r
        where ${allOf(conditions)} order by ${order.orderBy} limit ${values.of(limit + 1)}`,
      values.list,
    );
    return order.page(rows, limit, (row) => row);
  }

  /**
   * @param number revision number from the path or a field
   * @param path JSON pointer of that field
   * @throws Problem 404
   */
  async revision(
    tx: EntityManager,
    caller: Principal,
    id: string,
    number: string | number,
    path?: string,
  ): Promise<WithContent<LibraryRevisionRow>> {
    const requestedIds = revisionNumber(number);
    const [row] =
      requestedIds === null
        ? []
        : await tx.query<WithContent<LibraryRevisionRow>[]>(
            `select ${REVISION}, r.content from ${this.kind.revisions} r where tenant_id = $1 and record_id = $2 and number = $3`,
            [caller.tenantId, id, requestedIds],
          );
    if (!row) throw notFound(path);
    return row;
  }

  /** Returns the authors of these revisions; null = the record was deleted. */
  authors(tx: EntityManager, tenantId: string, range: RevisionRange): Promise<RevisionAuthor[] | null> {
    return revisionAuthors(tx, tenantId, { table: this.kind.revisions, record: 'record_id' }, range);
  }

  private latest(): string {
    const { records, revisions } = this.kind;
    return `${records} l join ${revisions} r on r.tenant_id = l.tenant_id and r.record_id = l.id and r.number = l.revision`;
  }

  private async addRevision(
    tx: EntityManager,
    caller: Principal,
    id: string,
    number: number,
    { content, interpreter, source, message }: Omit<LibrarySave, 'name' | 'description'>,
  ): Promise<void> {
    await tx.query(
      `insert into ${this.kind.revisions} (id, tenant_id, record_id, number, content, interpreter, created_by, created_by_name,
          git_source_id, git_path, git_ref, message)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        ...[newId(), caller.tenantId, id, number, content, interpreter, caller.userId, caller.name],
        ...[source?.gitSourceId ?? null, source?.path ?? null, source?.ref ?? null, message],
      ],
    );
  }
}

export const isSameSource = (one: ContentSource | null, other: ContentSource | null): boolean =>
  one?.gitSourceId === other?.gitSourceId && one?.path === other?.path && one?.ref === other?.ref;
