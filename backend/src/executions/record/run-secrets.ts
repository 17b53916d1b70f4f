import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { openSealedValue, type SealContext, sealValue } from '../../common/crypto/envelope.js';
import type { SealedColumn } from '../../common/database/sealed-values.js';
import { affected, row, rows, sql } from '../../common/database/sql.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import type { VariableValue } from '../../variables/variable-value.js';
import { findSecretsSizeFault, computeSecretSize } from '../../variables/secret-rules.js';
import { VariableVault } from '../../environments/variables/variable-vault.js';
import { SERVER_SECRET_VERSIONS_SQL, ServerVariableVault } from '../../inventory/variables/server-variable-vault.js';
import type { Snapshot } from './execution-row.js';
import { HostSecretPool, PLAIN_VALUE_MARK, getSharedValues } from './host-values.js';
import type { RunRef } from './run-head.js';
import { computeDigest, FROZEN_HOST_COLUMNS_SQL, type FrozenHost, type HostSecret } from './snapshot.js';

export const toSealContext = (tenantId: string, executionId: string): SealContext => ({
  tenant: tenantId,
  table: 'executions',
  record: executionId,
  field: 'secrets',
  version: 1,
});

export const SEALED_RUN_SECRETS: SealedColumn = {
  table: 'executions',
  column: 'sealed_secrets',
  version: '1',
  context: toSealContext,
};

/** Values by name; secrets of single hosts by `toHostSecretKey`. */
type SecretValues = Record<string, VariableValue>;

const DELETED_VERSION = 'deleted';
const MAX_NAMED_SECRETS = 5;

export interface ChangedSecret {
  name: string;
  /** Server that the secret belongs to; null: a secret of the environment. */
  server: string | null;
}

export const describeChangedSecrets = (changed: readonly ChangedSecret[]): string =>
  changed.map(({ name, server }) => (server === null ? `"${name}"` : `"${name}" of the server "${server}"`)).join(', ');

/** The only class that seals and opens the frozen secret values of runs. */
@Injectable()
export class RunSecrets {
  constructor(
    private readonly vault: VariableVault,
    private readonly serverVault: ServerVariableVault,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /** Null: the run has no secrets. */
  sealSecrets({ tenantId, executionId }: RunRef, secrets: SecretValues): Buffer | null {
    if (Object.keys(secrets).length === 0) return null;
    return sealValue(
      this.runtime.masterKey,
      Buffer.from(JSON.stringify(secrets)),
      toSealContext(tenantId, executionId),
    );
  }

  openSecrets({ tenantId, executionId }: RunRef, sealed: Buffer | null): SecretValues {
    if (!sealed) return {};
    return JSON.parse(
      openSealedValue(this.runtime.masterKey, sealed, toSealContext(tenantId, executionId)).toString(),
    ) as SecretValues;
  }

  /**
   * Returns keyed hashes of the secrets, for the digest. Without the key, short secrets cannot be guessed from the
   * digest.
   */
  computeFingerprints(secrets: SecretValues): Record<string, string> {
    const hmac = (value: VariableValue) =>
      createHmac('sha256', this.runtime.masterKey.secret).update(JSON.stringify(value)).digest('hex');
    return Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, hmac(value)]));
  }

  /**
   * Returns secrets that changed or were deleted since the start: all of the environment, and the first ones of
   * servers.
   */
  async findChangedSecrets(
    tx: EntityManager,
    ref: RunRef,
    environmentId: string,
    snapshot: Snapshot,
  ): Promise<ChangedSecret[]> {
    const ofServers = await this.findSecretsChangedOnServers(tx, ref);
    const frozen = Object.entries(snapshot.secretVersions ?? {});
    if (frozen.length === 0) return ofServers;
    const now = await this.vault.readSecretVersions(tx, ref.tenantId, environmentId);
    const changed = frozen
      .filter(([name, version]) => (now[name] ?? DELETED_VERSION) !== version)
      .map(([name]) => ({ name, server: null }));
    return [...changed, ...ofServers];
  }

  private async findSecretsChangedOnServers(tx: EntityManager, ref: RunRef): Promise<ChangedSecret[]> {
    return rows(
      tx,
      sql<ChangedSecret>`select s.key as name, h.name as server from execution_hosts h
          cross join lateral jsonb_each(h.secrets) s
          left join ${SERVER_SECRET_VERSIONS_SQL} v on v.tenant_id = h.tenant_id and v.server_id = h.server_id and v.key = s.key
        where h.tenant_id = ${ref.tenantId} and h.execution_id = ${ref.executionId} and h.secrets is not null
          and s.value->>'version' <> ${PLAIN_VALUE_MARK}::text
          and coalesce(v.version, ${DELETED_VERSION}::text) <> s.value->>'version'
        order by h.ordinal, s.key limit ${MAX_NAMED_SECRETS}`,
    );
  }

  /**
   * Freezes the current secrets of environment and servers and updates the digest. The next approval then covers the
   * values that will run.
   */
  async refreshServerSecrets(tx: EntityManager, ref: RunRef): Promise<void> {
    const run = await row(
      tx,
      sql<{ snapshot: Snapshot; sealed_secrets: Buffer | null; environment_id: string }>`
        select snapshot, sealed_secrets, environment_id from executions where id = ${ref.executionId}`,
    );
    if (!run) return;
    const hosts = await rows(
      tx,
      sql<FrozenHost>`select ${FROZEN_HOST_COLUMNS_SQL} from execution_hosts
        where execution_id = ${ref.executionId} order by ordinal`,
    );
    const names = Object.keys(run.snapshot.secretVersions ?? {});
    if (names.length === 0 && !hosts.some(({ secrets }) => secrets)) return;
    const { values, versions } = await this.vault.readValuesForRun(tx, ref.tenantId, run.environment_id);
    const before = this.openSecrets(ref, run.sealed_secrets);
    const secrets = getSharedValues(before);
    for (const name of names) {
      const value = versions[name] === undefined ? undefined : values[name];
      if (value === undefined) delete secrets[name];
      else secrets[name] = value;
    }
    const secretVersions = Object.fromEntries(names.map((name) => [name, versions[name] ?? DELETED_VERSION]));
    const snapshot: Snapshot = { ...run.snapshot, secretVersions };
    const pool = new HostSecretPool();
    const renewed = await this.renewHostSecrets(tx, ref.tenantId, { hosts, secrets: before }, pool);
    const all = { ...secrets, ...pool.values };
    const sizes = Object.entries(all).map(([name, value]) => [name, computeSecretSize(value)] as const);
    // Keeps the old secrets, because the new ones exceed the limits. The run is still reported as having changed
    // secrets.
    if (Object.keys(pool.values).length > 0 && findSecretsSizeFault(Object.fromEntries(sizes))) return;
    await this.storeHostSecrets(tx, ref, renewed);
    const digest = computeDigest(snapshot, renewed, run.environment_id, this.computeFingerprints(all));
    await affected(
      tx,
      sql`update executions set snapshot = ${snapshot}, sealed_secrets = ${this.sealSecrets(ref, all)}, digest = ${digest}
        where id = ${ref.executionId}`,
    );
  }

  private async renewHostSecrets(
    tx: EntityManager,
    tenantId: string,
    { hosts, secrets: frozen }: { hosts: readonly FrozenHost[]; secrets: SecretValues },
    pool: HostSecretPool,
  ): Promise<FrozenHost[]> {
    const hostsWithSecrets = hosts.filter(({ secrets }) => secrets).map(({ server_id }) => server_id);
    const now = await this.serverVault.openForRun(tx, tenantId, hostsWithSecrets);
    return hosts.map((host) => {
      if (!host.secrets) return host;
      const secrets = Object.entries(host.secrets).map(([name, was]): [string, HostSecret] => {
        const frozenSecret = was.version === PLAIN_VALUE_MARK && was.at !== null ? frozen[was.at] : undefined;
        if (frozenSecret !== undefined)
          return [name, { version: PLAIN_VALUE_MARK, at: pool.addSecret(name, frozenSecret) }];
        const currentSecret = now.get(host.server_id)?.get(name);
        return currentSecret?.secretVersion
          ? [name, { version: currentSecret.secretVersion, at: pool.addSecret(name, currentSecret.value) }]
          : [name, { version: DELETED_VERSION, at: null }];
      });
      return { ...host, secrets: Object.fromEntries(secrets) };
    });
  }

  private async storeHostSecrets(tx: EntityManager, ref: RunRef, hosts: readonly FrozenHost[]): Promise<void> {
    const changed = hosts.flatMap(({ server_id, secrets }) => (secrets ? [{ server_id, secrets }] : []));
    if (changed.length === 0) return;
    await affected(
      tx,
      sql`update execution_hosts h set secrets = x.secrets
        from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as x (server_id uuid, secrets jsonb)
        where h.tenant_id = ${ref.tenantId} and h.execution_id = ${ref.executionId} and h.server_id = x.server_id`,
    );
  }
}
