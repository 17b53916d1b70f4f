import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../../audit/audit-actions.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { affected, row, rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, invalidRequest, notFound, versionMismatchProblem } from '../../common/errors/problem.js';
import { encodeCursor, readCursor } from '../../common/http/paging/cursor.js';
import { requireVersion } from '../../common/http/etag.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../common/http/paging/page.js';
import { newId } from '../../common/ids.js';
import { findSecretsSizeFault, computeSecretSize } from '../../variables/secret-rules.js';
import { findNameFault } from '../../variables/variable-name.js';
import type { Environment } from '../environment.entity.js';
import { EnvironmentReader } from '../environment.reader.js';
import { type RequestedVariable, toTypeAndSecrecy, MAX_VARIABLES, findVariableFaults } from './variable-rules.js';
import { VariableVault } from './variable-vault.js';
import type { ListVariablesQuery } from './variables.dto.js';
import { type EnvironmentVariableView, toVariableView, VARIABLE_COLUMNS, type VariableRow } from './variables.view.js';

const DESCENDING_KEYS_SORT = '-key';

/** Members who can see the environment may read its variables; members who may run there may change them. */
@Injectable()
export class VariablesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly environments: EnvironmentReader,
    private readonly vault: VariableVault,
  ) {}

  list(caller: Principal, environmentId: string, query: ListVariablesQuery): Promise<Page<EnvironmentVariableView>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const descending = query.sort === DESCENDING_KEYS_SORT;
    const after = parseKeyCursor(query.cursor, descending);
    return this.units.run(caller.tenantId, async (tx) => {
      await this.environments.findVisibleEnvironment(tx, caller, environmentId);
      const found = await rows(
        tx,
        sql<VariableRow>`select ${VARIABLE_COLUMNS} from environment_variables
          where tenant_id = ${caller.tenantId} and environment_id = ${environmentId}
            and (${after}::text is null or key collate "C" ${descending ? sql.raw('<') : sql.raw('>')} ${after})
          order by key collate "C" ${descending ? sql.raw('desc') : sql.raw('asc')} limit ${limit + 1}`,
      );
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        items: page.map(toVariableView),
        nextCursor:
          found.length > limit && last
            ? encodeCursor(descending ? [DESCENDING_KEYS_SORT, last.key] : [last.key])
            : null,
      };
    });
  }

  /** @throws Problem 404 */
  get(caller: Principal, environmentId: string, key: string): Promise<EnvironmentVariableView> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.environments.findVisibleEnvironment(tx, caller, environmentId);
      const found = await this.findVariable(tx, caller, environmentId, key);
      if (!found) throw notFound();
      return toVariableView(found);
    });
  }

  /** @throws Problem 400; 404; 409 `grant_required`, `too_many_variables`, `secrets_too_large` */
  async putVariable(
    caller: Principal,
    environmentId: string,
    key: string,
    requested: RequestedVariable,
    version: number | null,
  ): Promise<EnvironmentVariableView> {
    const faults = findVariableFaults(key, requested);
    if (faults.length > 0) throw invalidRequest(faults);
    const { type, secret } = toTypeAndSecrecy(requested);
    return this.units.run(caller.tenantId, async (tx) => {
      const environment = await this.environments.requireRunnable(tx, caller, environmentId);
      // Locks the environment: its writers must take turns, because the version is part of the seal.
      await row(
        tx,
        sql`select 1 from environments where tenant_id = ${caller.tenantId} and id = ${environmentId} for no key update`,
      );
      const before = await this.findVariable(tx, caller, environmentId, key);
      if (before) requireVersion(before, version);
      else if (version !== null) throw versionMismatchProblem();
      else await this.requireBelowLimit(tx, caller, environment);
      if (secret) await this.requireSecretFits(tx, caller, environment, key, requested);
      const id = before?.id ?? newId();
      const next = (before?.version ?? 0) + 1;
      const value = secret ? null : JSON.stringify(requested.value);
      const sealed = secret ? this.vault.seal(caller.tenantId, id, next, requested.value) : null;
      await affected(
        tx,
        sql`insert into environment_variables (id, tenant_id, environment_id, key, type, secret, value, sealed_value, updated_by, updated_by_name, version)
          values (${id}, ${caller.tenantId}, ${environmentId}, ${key}, ${type}, ${secret}, ${value}::jsonb, ${sealed},
            ${caller.userId}, ${caller.name}, ${next})
          on conflict (tenant_id, environment_id, key) do update set type = excluded.type, secret = excluded.secret, value = excluded.value,
            sealed_value = excluded.sealed_value, updated_by = excluded.updated_by, updated_by_name = excluded.updated_by_name,
            updated_at = now(), version = excluded.version`,
      );
      const after = await this.findVariable(tx, caller, environmentId, key);
      if (!after) throw notFound();
      await this.recordAudit(tx, caller, 'environment.set_variable', environment, before, after);
      return toVariableView(after);
    });
  }

  /** @throws Problem 404; 409 `grant_required` */
  delete(caller: Principal, environmentId: string, key: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      const environment = await this.environments.findVisibleEnvironment(tx, caller, environmentId);
      const found = await this.findVariable(tx, caller, environmentId, key);
      if (!found) throw notFound();
      await this.environments.requireOwnRunRight(tx, caller, environment);
      requireVersion(found, version);
      await affected(
        tx,
        sql`delete from environment_variables where tenant_id = ${caller.tenantId} and id = ${found.id}`,
      );
      await this.recordAudit(tx, caller, 'environment.delete_variable', environment, found, null);
    });
  }

  private async requireBelowLimit(tx: EntityManager, caller: Principal, environment: Environment): Promise<void> {
    const counted = await row(
      tx,
      sql<{ count: number }>`select count(*)::int as count from environment_variables
        where tenant_id = ${caller.tenantId} and environment_id = ${environment.id}`,
    );
    if ((counted?.count ?? 0) >= MAX_VARIABLES) {
      throw conflict(
        'too_many_variables',
        `"${environment.name}" has ${MAX_VARIABLES} variables, the maximum. Delete one first.`,
      );
    }
  }

  /** Must be called while the environment is locked, so that concurrent writers cannot exceed the limit together. */
  private async requireSecretFits(
    tx: EntityManager,
    caller: Principal,
    environment: Environment,
    key: string,
    { value }: RequestedVariable,
  ): Promise<void> {
    const others = await this.vault.readSecretSizes(tx, caller.tenantId, environment.id);
    const fault = findSecretsSizeFault({ ...others, [key]: computeSecretSize(value) });
    if (fault) throw conflict('secrets_too_large', `"${key}" cannot be stored in "${environment.name}". ${fault}`);
  }

  private async findVariable(
    tx: EntityManager,
    caller: Principal,
    environmentId: string,
    key: string,
  ): Promise<VariableRow | null> {
    // No variable has an invalid name, and the database may be unable to compare such a name.
    if (findNameFault(key) !== null) return null;
    const found = await row(
      tx,
      sql<VariableRow>`select ${VARIABLE_COLUMNS} from environment_variables
        where tenant_id = ${caller.tenantId} and environment_id = ${environmentId} and key = ${key}`,
    );
    return found ?? null;
  }

  private recordAudit(
    tx: EntityManager,
    caller: Principal,
    action: AuditActionName,
    environment: Environment,
    before: VariableRow | null,
    after: VariableRow | null,
  ): Promise<void> {
    return this.audit.record(tx, caller, {
      action,
      resourceId: (after ?? before)?.id,
      resourceName: `${environment.name} / ${(after ?? before)?.key}`,
      before: before && { ...toVariableView(before), environmentId: environment.id },
      after: after && { ...toVariableView(after), environmentId: environment.id },
    });
  }
}

const parseKeyCursor = (cursor: string | undefined, descending: boolean): string | null =>
  readCursor(cursor, ['text'], descending ? { sort: DESCENDING_KEYS_SORT } : {})?.[0] ?? null;
