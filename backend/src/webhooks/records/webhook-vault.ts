import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { openSealedValue, type SealContext, sealValue } from '../../common/crypto/envelope.js';
import type { SealedColumn } from '../../common/database/sealed-values.js';
import { affected, row, sql, type Sql } from '../../common/database/sql.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';

type Field = 'secret' | 'old_secret';

const contextOf =
  (field: Field) =>
  (tenantId: string, id: string, version: number): SealContext => ({
    tenant: tenantId,
    table: 'webhooks',
    record: id,
    field,
    version,
  });

export const SEALED_WEBHOOK_SECRETS: SealedColumn = {
  table: 'webhooks',
  column: 'sealed_secret',
  version: 'secret_version',
  context: contextOf('secret'),
};

/** Previous signing secrets, which stay valid for {@link GRACE_HOURS}. */
export const SEALED_OLD_WEBHOOK_SECRETS: SealedColumn = {
  table: 'webhooks',
  column: 'sealed_old_secret',
  version: 'old_secret_version',
  context: contextOf('old_secret'),
};

export interface SealedSecrets {
  sealed_secret: Buffer;
  secret_version: number;
  /** Null = none, or no longer valid. */
  sealed_old_secret: Buffer | null;
  old_secret_version: number;
}

export const sealedSecretsOf = (webhook: Sql): Sql =>
  sql`${webhook}.sealed_secret, ${webhook}.secret_version, ${webhook}.old_secret_version,
    case when ${webhook}.old_secret_until > now() then ${webhook}.sealed_old_secret end as sealed_old_secret`;

export const GRACE_HOURS = 24;

/** Creates, encrypts and decrypts signing secrets. No other code does. */
@Injectable()
export class WebhookVault {
  constructor(@Inject(RUNTIME) private readonly runtime: Runtime) {}

  make(): string {
    return `whsec_${randomBytes(32).toString('base64')}`;
  }

  seal(tenantId: string, id: string, version: number, secret: string): Buffer {
    return sealValue(
      this.runtime.masterKey,
      Buffer.from(secret),
      SEALED_WEBHOOK_SECRETS.context(tenantId, id, version),
    );
  }

  /** Returns all valid secrets, the current one first. */
  open(tenantId: string, id: string, sealed: SealedSecrets): string[] {
    const { masterKey } = this.runtime;
    const current = SEALED_WEBHOOK_SECRETS.context(tenantId, id, sealed.secret_version);
    const old = SEALED_OLD_WEBHOOK_SECRETS.context(tenantId, id, sealed.old_secret_version);
    return [
      openSealedValue(masterKey, sealed.sealed_secret, current).toString(),
      ...(sealed.sealed_old_secret ? [openSealedValue(masterKey, sealed.sealed_old_secret, old).toString()] : []),
    ];
  }

  /** Until when the previous secret is valid, by the database's clock; null = no previous secret is valid. */
  async oldSecretUntil(tx: EntityManager, tenantId: string, id: string): Promise<Date | null> {
    const old = await row(
      tx,
      sql<{ until: Date | null }>`select old_secret_until as until from webhooks
        where tenant_id = ${tenantId} and id = ${id} and old_secret_until > now() and sealed_old_secret is not null`,
    );
    return old?.until ?? null;
  }

  /** The previous secret stays valid for {@link GRACE_HOURS}. @returns the new secret */
  async rotate(tx: EntityManager, tenantId: string, id: string): Promise<string> {
    const sealed = await row(
      tx,
      sql<SealedSecrets>`select ${sealedSecretsOf(sql.raw('w'))} from webhooks w
        where w.tenant_id = ${tenantId} and w.id = ${id} for update`,
    );
    if (!sealed) throw new Error('A webhook that was just read is gone.');
    const [before = ''] = this.open(tenantId, id, { ...sealed, sealed_old_secret: null });
    const version = sealed.old_secret_version + 1;
    const context = SEALED_OLD_WEBHOOK_SECRETS.context(tenantId, id, version);
    const secret = this.make();
    const secretVersion = sealed.secret_version + 1;
    await affected(
      tx,
      sql`update webhooks set sealed_secret = ${this.seal(tenantId, id, secretVersion, secret)},
          secret_version = ${secretVersion}, old_secret_version = ${version},
          sealed_old_secret = ${sealValue(this.runtime.masterKey, Buffer.from(before), context)},
          old_secret_until = now() + make_interval(hours => ${GRACE_HOURS})
        where tenant_id = ${tenantId} and id = ${id}`,
    );
    return secret;
  }
}
