import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { openSealedValue, type SealContext, sealValue } from '../common/crypto/envelope.js';
import type { SealedColumn } from '../common/database/sealed-values.js';
import { row, rows, sql } from '../common/database/sql.js';
import { notFound } from '../common/errors/problem.js';
import { isId } from '../common/ids.js';
import { RUNTIME, type Runtime } from '../common/settings/runtime.js';
import { SshKey } from './ssh-key.entity.js';

const createSealContext = (tenantId: string, id: string): SealContext => ({
  tenant: tenantId,
  table: 'ssh_keys',
  record: id,
  field: 'private_key',
  version: 1,
});

const MAX_NAME_LENGTH = 100;

export const SEALED_PRIVATE_KEYS: SealedColumn = {
  table: 'ssh_keys',
  column: 'sealed_private_key',
  version: '1',
  context: createSealContext,
};

export interface OpenedKey {
  privateKey: string;
  /** Certificate line to present first; null: none. */
  certificate: string | null;
}

/** The only service that opens private keys. */
@Injectable()
export class KeyVault {
  constructor(@Inject(RUNTIME) private readonly runtime: Runtime) {}

  sealPrivateKey(tenantId: string, id: string, privateKey: string): Buffer {
    return sealValue(this.runtime.masterKey, Buffer.from(privateKey), createSealContext(tenantId, id));
  }

  /**
   * @param path JSON pointer to the ID in a request body
   * @throws Problem 404
   */
  async getVisibleKey(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<SshKey> {
    const key = isId(id) ? await tx.getRepository(SshKey).findOneBy({ tenantId: caller.tenantId, id }) : null;
    if (!key) throw notFound(path);
    return key;
  }

  /**
   * Like `visible`, but locks the key until the transaction ends. No other transaction can change the key after its
   * version was compared.
   * @throws Problem 404
   */
  async getLocked(tx: EntityManager, caller: Principal, id: string): Promise<SshKey> {
    await this.getVisibleKey(tx, caller, id);
    const lock = { mode: 'pessimistic_write' as const };
    const key = await tx.getRepository(SshKey).findOne({ where: { tenantId: caller.tenantId, id }, lock });
    if (!key) throw notFound();
    return key;
  }

  /**
   * Returns all keys of the tenant with this fingerprint. A key may be imported several times under different names.
   */
  async findIdsByFingerprint(tx: EntityManager, tenantId: string, fingerprint: string): Promise<string[]> {
    const found = await rows(
      tx,
      sql<{ id: string }>`select id from ssh_keys
        where tenant_id = ${tenantId} and fingerprint = ${fingerprint} order by id`,
    );
    return found.map(({ id }) => id);
  }

  /** Returns a free name: the requested name with `ending`, or with a number. */
  async findFreeName(tx: EntityManager, tenantId: string, requestedName: string, ending: string): Promise<string> {
    for (let number = 1; ; number += 1) {
      const end = number === 1 ? ending : `${ending.slice(0, -1)} ${number})`;
      const name = `${requestedName.slice(0, MAX_NAME_LENGTH - end.length).replace(/[\uD800-\uDBFF]$/, '')}${end}`;
      const taken = await row(
        tx,
        sql`select 1 from ssh_keys where tenant_id = ${tenantId} and lower(name) = lower(${name})`,
      );
      if (taken === undefined) return name;
    }
  }

  async rename(tx: EntityManager, tenantId: string, id: string, name: string): Promise<void> {
    await tx
      .getRepository(SshKey)
      .update({ tenantId, id }, { name, updatedAt: () => 'now()', version: () => 'version + 1' });
  }

  async readPublicKeys(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const found = await rows(
      tx,
      sql<{ id: string; line: string }>`select id, public_key as line from ssh_keys
        where tenant_id = ${tenantId} and id = any (${ids})`,
    );
    return new Map(found.map(({ id, line }) => [id, line]));
  }

  async readNames(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const found = await rows(
      tx,
      sql<{ id: string; name: string }>`select id, name from ssh_keys
        where tenant_id = ${tenantId} and id = any (${ids})`,
    );
    return new Map(found.map(({ id, name }) => [id, name]));
  }

  async readFingerprints(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Record<string, string>> {
    const found = await rows(
      tx,
      sql.prepared<{ id: string; fingerprint: string }>`select id, fingerprint from ssh_keys
        where tenant_id = ${tenantId} and id = any (${ids}) order by id`,
    );
    return Object.fromEntries(found.map(({ id, fingerprint }) => [id, fingerprint]));
  }

  /**
   * Opens private keys for a connection and records their use.
   * @returns credentials by key ID; deleted keys are omitted
   */
  async openPrivateKeys(tx: EntityManager, tenantId: string, ids: string[]): Promise<Map<string, OpenedKey>> {
    const used = await rows(
      tx,
      sql<{ id: string; sealed_private_key: Buffer; certificate: string | null }>`
        update ssh_keys set last_used_at = now() where tenant_id = ${tenantId} and id = any (${ids})
          returning id, sealed_private_key, certificate`,
    );
    return new Map(
      used.map(({ id, sealed_private_key, certificate }) => [
        id,
        {
          privateKey: openSealedValue(
            this.runtime.masterKey,
            sealed_private_key,
            createSealContext(tenantId, id),
          ).toString(),
          certificate,
        },
      ]),
    );
  }
}
