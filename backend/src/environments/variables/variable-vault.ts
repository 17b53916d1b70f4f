import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { openSealedValue, type SealContext, sealValue } from '../../common/crypto/envelope.js';
import type { SealedColumn } from '../../common/database/sealed-values.js';
import { rows, sql } from '../../common/database/sql.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { type SecretsSize, computeSecretSize } from '../../variables/secret-rules.js';
import type { VariableValue } from '../../variables/variable-value.js';

/**
 * Binds a sealed value to its variable and version: it cannot be opened in another variable or in an earlier version.
 */
export const createVariableSealContext = (tenantId: string, id: string, version: number): SealContext => ({
  tenant: tenantId,
  table: 'environment_variables',
  record: id,
  field: 'value',
  version,
});

export const SEALED_VARIABLES: SealedColumn = {
  table: 'environment_variables',
  column: 'sealed_value',
  version: 'version',
  context: createVariableSealContext,
};

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

/** Seals and opens secret variables of environments; no other code does. */
@Injectable()
export class VariableVault {
  constructor(@Inject(RUNTIME) private readonly runtime: Runtime) {}

  seal(tenantId: string, id: string, version: number, value: VariableValue): Buffer {
    return sealValue(
      this.runtime.masterKey,
      Buffer.from(JSON.stringify(value)),
      createVariableSealContext(tenantId, id, version),
    );
  }

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
        ? this.openValue(sealed_value, createVariableSealContext(tenantId, id, version))
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

  async readSecretSizes(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
  ): Promise<Record<string, SecretsSize>> {
    const stored = await this.readStoredValues(tx, tenantId, environmentId);
    const sizes = stored.flatMap(({ id, key, sealed_value, version }): [string, SecretsSize][] =>
      sealed_value
        ? [[key, computeSecretSize(this.openValue(sealed_value, createVariableSealContext(tenantId, id, version)))]]
        : [],
    );
    return Object.fromEntries(sizes);
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

  private openValue(sealed: Buffer, context: SealContext): VariableValue {
    return JSON.parse(openSealedValue(this.runtime.masterKey, sealed, context).toString()) as VariableValue;
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
