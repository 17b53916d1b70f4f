import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { conflict, invalidRequest } from '../../common/errors/problem.js';
import type { ProblemItem } from '../../common/errors/problem-item.js';
import { toPointerPart } from '../../common/text/shorten.js';
import type { VariableValue } from '../../variables/variable-value.js';
import { findVariableFaults } from '../../variables/variable-rules.js';
import { isSecretName } from '../fields/secret-name.js';
import type { ServerView } from '../servers.view.js';
import { MAX_SERVER_VARIABLE_BYTES, MAX_SERVER_VARIABLES } from '../variables/server-variable-limits.js';
import { ServerVariableStore } from '../variables/server-variable-store.js';
import { ServerVariableVault } from '../variables/server-variable-vault.js';

type Variables = Readonly<Record<string, VariableValue>>;

/** @throws Problem 400 for an invalid name or value, and for a name that denotes a secret */
export function requirePlainVariables(variables: Variables = {}): void {
  const faults = Object.entries(variables).flatMap(([name, value]): ProblemItem[] => {
    const at = `/variables/${toPointerPart(name)}`;
    if (isSecretName(name)) {
      const message = `"${name}" is the name of a secret, but these variables are not secret. Set it as a secret variable of the server.`;
      return [{ path: at, code: 'not_allowed_value', message }];
    }
    return findVariableFaults(name, { value }).map((fault) => ({
      ...fault,
      path: fault.path.replace(/^(\/value)?/, at),
    }));
  });
  if (faults.length > 0) throw invalidRequest(faults);
}

@Injectable()
export class ExternalVariables {
  constructor(
    private readonly audit: AuditTrail,
    private readonly vault: ServerVariableVault,
    private readonly store: ServerVariableStore,
  ) {}

  /**
   * Sets the variables that differ, with one audit entry. The caller must hold the lock on the server and the right to
   * change it.
   * @throws Problem 400 for a variable that is secret on the server; 409 `too_many_variables`, `variables_too_large`
   */
  async replaceVariables(
    tx: EntityManager,
    caller: Principal,
    { id, name }: Pick<ServerView, 'id' | 'name'>,
    requested: Variables | undefined,
  ): Promise<void> {
    if (requested === undefined || Object.keys(requested).length === 0) return;
    const stored = (await this.vault.readForPreview(tx, caller.tenantId, [id])).get(id) ?? new Map<string, null>();
    const secret = Object.keys(requested).filter((key) => stored.get(key) === null);
    if (secret.length > 0)
      throw invalidRequest(
        secret.map((key) => {
          const message = `"${key}" is secret on "${name}", but these variables are not secret. Set it separately or omit it.`;
          return { path: `/variables/${toPointerPart(key)}`, code: 'not_allowed_value', message };
        }),
      );
    const changed = Object.entries(requested).filter(
      ([key, value]) => JSON.stringify(stored.get(key)) !== JSON.stringify(value),
    );
    if (changed.length === 0) return;
    const before = changed.flatMap(([key]) => (stored.has(key) ? [[key, stored.get(key)]] : []));
    const count = stored.size + changed.length - before.length;
    if (count > MAX_SERVER_VARIABLES)
      throw conflict(
        'too_many_variables',
        `"${name}" would have ${count} variables; the maximum is ${MAX_SERVER_VARIABLES}.`,
      );
    await this.store.setValues(tx, caller, [{ serverId: id, values: Object.fromEntries(changed) }]);
    const bytes = await this.vault.countBytes(tx, caller.tenantId, [id]);
    if (bytes > MAX_SERVER_VARIABLE_BYTES)
      throw conflict(
        'variables_too_large',
        `The variables of "${name}" would have ${bytes} bytes in total; the maximum is ${MAX_SERVER_VARIABLE_BYTES}.`,
      );
    await this.audit.record(tx, caller, {
      action: 'server.set_variables',
      resourceId: id,
      resourceName: name,
      before: Object.fromEntries(before) as object,
      after: Object.fromEntries(changed),
    });
  }
}
