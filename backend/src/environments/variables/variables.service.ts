import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { row, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { Page } from '../../common/http/paging/page.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { VariableRecords } from '../../variables/variable-records.js';
import { type RequestedVariable, requireValidVariable } from '../../variables/variable-rules.js';
import type { ListVariablesQuery } from '../../variables/variables.dto.js';
import { toVariableView } from '../../variables/variables.view.js';
import { EnvironmentReader } from '../environment.reader.js';
import { SEALED_VARIABLES } from './variable-vault.js';
import type { EnvironmentVariableView } from './variables.view.js';

/** Limited because all variables are exported to every command in the environment. */
const MAX_VARIABLES = 200;

/** Members who can see the environment may read its variables; members who may run there may change them. */
@Injectable()
export class VariablesService {
  private readonly variables: VariableRecords;

  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly environments: EnvironmentReader,
    @Inject(RUNTIME) { masterKey }: Runtime,
  ) {
    const table = { table: sql`environment_variables`, ownerId: sql`environment_id`, sealed: SEALED_VARIABLES };
    const kind = { ...table, auditField: 'environmentId', maxCount: MAX_VARIABLES, preposition: 'in' } as const;
    this.variables = new VariableRecords(kind, masterKey);
  }

  list(caller: Principal, environmentId: string, query: ListVariablesQuery): Promise<Page<EnvironmentVariableView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.environments.findVisibleEnvironment(tx, caller, environmentId);
      return this.variables.list(tx, caller, environmentId, query);
    });
  }

  /** @throws Problem 404 */
  get(caller: Principal, environmentId: string, key: string): Promise<EnvironmentVariableView> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.environments.findVisibleEnvironment(tx, caller, environmentId);
      return toVariableView(await this.variables.get(tx, caller, environmentId, key));
    });
  }

  /** @throws Problem 400; 404; 403 `grant_required`; 409 `too_many_variables`, `secrets_too_large`; 412 */
  async put(
    caller: Principal,
    environmentId: string,
    key: string,
    requested: RequestedVariable,
    version: number | null,
  ): Promise<EnvironmentVariableView> {
    requireValidVariable(key, requested);
    return this.units.run(caller.tenantId, async (tx) => {
      const environment = await this.environments.requireRunnable(tx, caller, environmentId);
      await row(
        tx,
        sql`select 1 from environments where tenant_id = ${caller.tenantId} and id = ${environmentId} for no key update`,
      );
      const { before, after } = await this.variables.put(tx, caller, environmentId, key, requested, version);
      if (!before) await this.variables.requireCountWithinLimit(tx, caller, environment);
      if (after.secret) await this.variables.requireSecretsWithinLimit(tx, caller, environment, key);
      const change = this.variables.toAuditedChange(environment, before, after);
      await this.audit.record(tx, caller, { action: 'environment.set_variable', ...change });
      return toVariableView(after);
    });
  }

  /** @throws Problem 404; 403 `grant_required`; 412 */
  delete(caller: Principal, environmentId: string, key: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      const environment = await this.environments.findVisibleEnvironment(tx, caller, environmentId);
      const variable = await this.variables.get(tx, caller, environmentId, key);
      await this.environments.requireOwnRunRight(tx, caller, environment);
      await this.variables.delete(tx, caller, variable, version);
      const change = this.variables.toAuditedChange(environment, variable, null);
      await this.audit.record(tx, caller, { action: 'environment.delete_variable', ...change });
    });
  }
}
