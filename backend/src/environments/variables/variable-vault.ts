import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../common/database/sql.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { createSealedVariableColumn, openVariable } from '../../variables/variable-seal.js';
import type { VariableValue } from '../../variables/variable-value.js';

export const SEALED_VARIABLES = createSealedVariableColumn('environment_variables');

export interface EnvironmentVariableValues {
  /** By variable name, including secrets. */
  values: Record<string, VariableValue>;
  secretNames: string[];
  /** Version of each secret, by variable name. Changes with every change of the secret. */
  versions: Record<string, string>;
}

interface VariableValueRow {
  id: string;
  key: string;
  value: VariableValue | null;
  sealed_value: Buffer | null;
  version: number;
}

/** Reads the variables of environments for other modules. */
@Injectable()
export class VariableVault {
  constructor(@Inject(RUNTIME) private readonly runtime: Runtime) {}

  /**
   * Returns the values for a run in the environment, with opened secrets. The caller must have verified the right to
   * run there.
   */
  async readValuesForRun(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
  ): Promise<EnvironmentVariableValues> {
    const stored = await this.readStoredValues(tx, tenantId, environmentId);
    const entries = stored.map(({ id, key, value, sealed_value, version }): [string, VariableValue] => [
      key,
      sealed_value
        ? openVariable(this.runtime.masterKey, SEALED_VARIABLES, { tenantId, id, version }, sealed_value)
        : (value as VariableValue),
    ]);
    return {
      values: Object.fromEntries(entries),
      ...toSecretNamesAndVersions(stored),
    };
  }

  /** Returns the version of each secret by variable name, without opening the secrets. */
  async readSecretVersions(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
  ): Promise<Record<string, string>> {
    return toSecretNamesAndVersions(await this.readStoredValues(tx, tenantId, environmentId)).versions;
  }

  async listIds(tx: EntityManager, tenantId: string, environmentId: string): Promise<string[]> {
    return (await this.readStoredValues(tx, tenantId, environmentId)).map(({ id }) => id);
  }

  /**
   * Returns plain values, and the names of the secrets. Does not open secrets, so that validation patterns cannot
   * reveal them bit by bit.
   */
  async readValuesForPreview(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
  ): Promise<EnvironmentVariableValues> {
    const stored = await this.readStoredValues(tx, tenantId, environmentId);
    const plain = stored.filter((row) => !row.sealed_value);
    return {
      values: Object.fromEntries(plain.map(({ key, value }) => [key, value as VariableValue])),
      ...toSecretNamesAndVersions(stored),
    };
  }

  private readStoredValues(tx: EntityManager, tenantId: string, environmentId: string): Promise<VariableValueRow[]> {
    return rows(
      tx,
      sql.prepared<VariableValueRow>`select id, key, value, sealed_value, version from environment_variables
        where tenant_id = ${tenantId} and environment_id = ${environmentId} order by key`,
    );
  }
}

function toSecretNamesAndVersions(
  stored: VariableValueRow[],
): Pick<EnvironmentVariableValues, 'secretNames' | 'versions'> {
  const secret = stored.filter((row) => row.sealed_value);
  return {
    secretNames: secret.map(({ key }) => key),
    versions: Object.fromEntries(secret.map(({ key, id, version }) => [key, `${id}:${version}`])),
  };
}
