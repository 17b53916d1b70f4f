import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import type { MasterKey } from '../common/crypto/master-key.js';
import type { SealedColumn } from '../common/database/sealed-values.js';
import { affected, row, rows, sql, type Sql } from '../common/database/sql.js';
import { conflict, notFound, versionMismatchProblem } from '../common/errors/problem.js';
import { requireVersion } from '../common/http/etag.js';
import { encodeCursor, readCursor } from '../common/http/paging/cursor.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../common/http/paging/page.js';
import { newId } from '../common/ids.js';
import { computeSecretSize, findSecretsSizeFault, type SecretsSize } from './secret-rules.js';
import { findNameFault } from './variable-name.js';
import { type RequestedVariable, toTypeAndSecrecy } from './variable-rules.js';
import { openVariable, sealVariable } from './variable-seal.js';
import type { ListVariablesQuery } from './variables.dto.js';
import { toVariableView, type VariableRow, type VariableView } from './variables.view.js';

/** Properties of the variables of environments or of servers. */
export interface VariableKind {
  /** @sql environment_variables */
  readonly table: Sql;
  /**
   * Column of the environment or server.
   * @sql environment_id
   */
  readonly ownerId: Sql;
  readonly sealed: SealedColumn;
  /** Field of the owner's ID in audit entries. */
  readonly auditField: 'environmentId' | 'serverId';
  /** Maximum number of variables of one owner. */
  readonly maxCount: number;
  /** Word before the owner's name in messages. */
  readonly preposition: 'in' | 'on';
}

/** Environment or server that has the variables. */
interface VariableOwner {
  id: string;
  name: string;
}

interface SecretRow {
  id: string;
  key: string;
  sealed_value: Buffer | null;
  version: number;
}

const COLUMNS = sql`id, key, type, secret, value, created_at, updated_at, updated_by, updated_by_name, version`;
const DESCENDING_KEY_SORT = '-key';

/** Storage of one kind of variables. The caller checks the access to their owner. */
export class VariableRecords {
  constructor(
    private readonly kind: VariableKind,
    private readonly masterKey: MasterKey,
  ) {}

  /** Sorted by name. */
  async list(
    tx: EntityManager,
    caller: Principal,
    ownerId: string,
    query: ListVariablesQuery,
  ): Promise<Page<VariableView>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const descending = query.sort === DESCENDING_KEY_SORT;
    const after = readCursor(query.cursor, ['text'], descending ? { sort: DESCENDING_KEY_SORT } : {})?.[0] ?? null;
    const found = await rows(
      tx,
      sql<VariableRow>`select ${COLUMNS} from ${this.kind.table}
        where tenant_id = ${caller.tenantId} and ${this.kind.ownerId} = ${ownerId}
          and (${after}::text is null or key collate "C" ${sql.raw(descending ? '<' : '>')} ${after})
        order by key collate "C" ${sql.raw(descending ? 'desc' : 'asc')} limit ${limit + 1}`,
    );
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      items: page.map(toVariableView),
      nextCursor:
        found.length > limit && last ? encodeCursor(descending ? [DESCENDING_KEY_SORT, last.key] : [last.key]) : null,
    };
  }

  /** @throws Problem 404 */
  async get(tx: EntityManager, caller: Principal, ownerId: string, key: string): Promise<VariableRow> {
    const found = await this.find(tx, caller, ownerId, key);
    if (!found) throw notFound();
    return found;
  }

  /**
   * Stores a variable. The owner must be locked: its writers must take turns, because the version is part of the seal.
   * The caller then checks the limits.
   *
   * @throws Problem 412
   */
  async put(
    tx: EntityManager,
    caller: Principal,
    ownerId: string,
    key: string,
    requested: RequestedVariable,
    version: number | null,
  ): Promise<{ before: VariableRow | null; after: VariableRow }> {
    const { type, secret } = toTypeAndSecrecy(requested);
    const before = await this.find(tx, caller, ownerId, key);
    if (before) requireVersion(before, version);
    else if (version !== null) throw versionMismatchProblem();
    const { tenantId } = caller;
    const id = before?.id ?? newId();
    const next = (before?.version ?? 0) + 1;
    const value = secret ? null : JSON.stringify(requested.value);
    const sealed = secret
      ? sealVariable(this.masterKey, this.kind.sealed, { tenantId, id, version: next }, requested.value)
      : null;
    await affected(
      tx,
      sql`insert into ${this.kind.table}
        (id, tenant_id, ${this.kind.ownerId}, key, type, secret, value, sealed_value, updated_by, updated_by_name, version)
        values (${id}, ${tenantId}, ${ownerId}, ${key}, ${type}, ${secret}, ${value}::jsonb, ${sealed},
          ${caller.userId}, ${caller.name}, ${next})
        on conflict (tenant_id, ${this.kind.ownerId}, key) do update set type = excluded.type, secret = excluded.secret,
          value = excluded.value, sealed_value = excluded.sealed_value, updated_by = excluded.updated_by,
          updated_by_name = excluded.updated_by_name, updated_at = now(), version = excluded.version`,
    );
    return { before, after: await this.get(tx, caller, ownerId, key) };
  }

  /** @throws Problem 412 */
  async delete(tx: EntityManager, caller: Principal, variable: VariableRow, version: number | null): Promise<void> {
    requireVersion(variable, version);
    await affected(
      tx,
      sql`delete from ${this.kind.table} where tenant_id = ${caller.tenantId} and id = ${variable.id}`,
    );
  }

  /**
   * Call it after the write, while the owner is locked, so that concurrent writers cannot exceed the limit together.
   * @throws Problem 409 `too_many_variables`
   */
  async requireCountWithinLimit(tx: EntityManager, caller: Principal, { id, name }: VariableOwner): Promise<void> {
    const { table, ownerId, maxCount } = this.kind;
    const counted = await row(
      tx,
      sql<{ count: number }>`select count(*)::int as count from ${table}
        where tenant_id = ${caller.tenantId} and ${ownerId} = ${id}`,
    );
    if ((counted?.count ?? 0) > maxCount)
      throw conflict('too_many_variables', `"${name}" has ${maxCount} variables, the maximum. Delete one first.`);
  }

  /**
   * Like `requireCountWithinLimit`, for the size of all secrets.
   * @param key variable that was stored
   * @throws Problem 409 `secrets_too_large`
   */
  async requireSecretsWithinLimit(
    tx: EntityManager,
    caller: Principal,
    { id, name }: VariableOwner,
    key: string,
  ): Promise<void> {
    const { table, ownerId, sealed, preposition } = this.kind;
    const { tenantId } = caller;
    const variables = await rows(
      tx,
      sql<SecretRow>`select id, key, sealed_value, version from ${table}
        where tenant_id = ${tenantId} and ${ownerId} = ${id} and secret order by key collate "C"`,
    );
    const sizes = variables.flatMap(({ sealed_value: value, ...variable }): [string, SecretsSize][] =>
      value
        ? [[variable.key, computeSecretSize(openVariable(this.masterKey, sealed, { tenantId, ...variable }, value))]]
        : [],
    );
    const fault = findSecretsSizeFault(Object.fromEntries(sizes));
    if (fault) throw conflict('secrets_too_large', `"${key}" cannot be stored ${preposition} "${name}". ${fault}`);
  }

  /** Returns the fields of the audit entry of a change. */
  toAuditedChange({ id, name }: VariableOwner, before: VariableRow | null, after: VariableRow | null) {
    const variable = after ?? before;
    const toAudited = (one: VariableRow | null) => one && { ...toVariableView(one), [this.kind.auditField]: id };
    return {
      resourceId: variable?.id,
      resourceName: `${name} / ${variable?.key}`,
      before: toAudited(before),
      after: toAudited(after),
    };
  }

  private async find(tx: EntityManager, caller: Principal, ownerId: string, key: string): Promise<VariableRow | null> {
    // No variable has an invalid name, and PostgreSQL may reject the characters of such a name.
    if (findNameFault(key) !== null) return null;
    const found = await row(
      tx,
      sql<VariableRow>`select ${COLUMNS} from ${this.kind.table}
        where tenant_id = ${caller.tenantId} and ${this.kind.ownerId} = ${ownerId} and key = ${key}`,
    );
    return found ?? null;
  }
}
