import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { open, type SealContext, seal } from '../../common/crypto/envelope.js';
import type { SealedColumn } from '../../common/crypto/sealed-column.js';
import { RUNTIME, type Runtime } from '../../common/runtime.js';
import type { VariableValue } from '../../common/variables/variable-value.js';
import { VariableVault } from '../../environments/variables/variable-vault.js';
import type { Snapshot } from './execution-row.js';
import type { RunRef } from './run-head.js';
import { digestOf, FROZEN_HOST_COLUMNS, type FrozenHost } from './snapshot.js';

/** What a run's sealed secret values are bound to. */
export const secretsContext = (tenantId: string, executionId: string): SealContext => ({
  tenant: tenantId,
  table: 'executions',
  record: executionId,
  field: 'secrets',
  version: 1,
});

/** Where runs keep their secret values. */
export const SEALED_RUN_SECRETS: SealedColumn = {
  table: 'executions',
  column: 'sealed_secrets',
  version: '1',
  context: secretsContext,
};

type Secrets = Record<string, VariableValue>;

/** The one place that seals and opens the secret values that runs froze. */
@Injectable()
export class RunSecrets {
  constructor(
    private readonly vault: VariableVault,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /** Null when there are none. */
  seal({ tenantId, executionId }: RunRef, secrets: Secrets): Buffer | null {
    if (Object.keys(secrets).length === 0) return null;
    return seal(this.runtime.masterKey, Buffer.from(JSON.stringify(secrets)), secretsContext(tenantId, executionId));
  }

  open({ tenantId, executionId }: RunRef, sealed: Buffer | null): Secrets {
    if (!sealed) return {};
    return JSON.parse(
      open(this.runtime.masterKey, sealed, secretsContext(tenantId, executionId)).toString(),
    ) as Secrets;
  }

  /** Secrets take part in the digest by a keyed hash: nobody can guess a short one from it. */
  fingerprints(secrets: Secrets): Record<string, string> {
    const hmac = (value: VariableValue) =>
      createHmac('sha256', this.runtime.masterKey.key).update(JSON.stringify(value)).digest('hex');
    return Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, hmac(value)]));
  }

  /** Names of secrets of the environment that have another version now, or are gone. */
  async changedSince(tx: EntityManager, ref: RunRef, environmentId: string, snapshot: Snapshot): Promise<string[]> {
    const frozen = Object.entries(snapshot.secretVersions ?? {});
    if (frozen.length === 0) return [];
    const now = await this.vault.secretVersions(tx, ref.tenantId, environmentId);
    return frozen.filter(([name, version]) => (now[name] ?? 'deleted') !== version).map(([name]) => name);
  }

  /** Freezes the environment's secrets anew, and the digest with them: what is approved next is what will run. */
  async refresh(tx: EntityManager, ref: RunRef): Promise<void> {
    const [row] = await tx.query<{ snapshot: Snapshot; sealed_secrets: Buffer | null; environment_id: string }[]>(
      'select snapshot, sealed_secrets, environment_id from executions where id = $1',
      [ref.executionId],
    );
    if (!row || Object.keys(row.snapshot.secretVersions ?? {}).length === 0) return;
    const { values, versions } = await this.vault.forRun(tx, ref.tenantId, row.environment_id);
    const secrets = this.open(ref, row.sealed_secrets);
    for (const name of Object.keys(row.snapshot.secretVersions ?? {})) {
      const value = versions[name] === undefined ? undefined : values[name];
      if (value === undefined) delete secrets[name];
      else secrets[name] = value;
    }
    const secretVersions = Object.fromEntries(
      Object.keys(row.snapshot.secretVersions ?? {}).map((name) => [name, versions[name] ?? 'deleted']),
    );
    const snapshot: Snapshot = { ...row.snapshot, secretVersions };
    const hosts = await tx.query<FrozenHost[]>(
      `select ${FROZEN_HOST_COLUMNS} from execution_hosts
        where execution_id = $1 order by ordinal`,
      [ref.executionId],
    );
    const digest = digestOf(snapshot, hosts, row.environment_id, this.fingerprints(secrets));
    await tx.query('update executions set snapshot = $2, sealed_secrets = $3, digest = $4 where id = $1', [
      ref.executionId,
      snapshot,
      this.seal(ref, secrets),
      digest,
    ]);
  }
}
