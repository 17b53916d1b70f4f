import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { openSealedValue, sealValue } from '../../common/crypto/envelope.js';
import type { SealedColumn } from '../../common/database/sealed-values.js';
import { row, sql } from '../../common/database/sql.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';

export const SEALED_NOTIFICATION_SECRETS: SealedColumn = {
  table: 'notification_rules',
  column: 'sealed_secret',
  version: 'secret_version',
  context: (tenantId, id, version) => ({
    tenant: tenantId,
    table: 'notification_rules',
    record: id,
    field: 'secret',
    version,
  }),
};

export interface SecretOwner {
  tenantId: string;
  id: string;
  secretVersion: number;
}

@Injectable()
export class RuleVault {
  constructor(@Inject(RUNTIME) private readonly runtime: Runtime) {}

  seal({ tenantId, id, secretVersion }: SecretOwner, secret: string): Buffer {
    const context = SEALED_NOTIFICATION_SECRETS.context(tenantId, id, secretVersion);
    return sealValue(this.runtime.masterKey, Buffer.from(secret), context);
  }

  /** Null: the rule has no secret. */
  async secret(tx: EntityManager, { tenantId, id, secretVersion }: SecretOwner): Promise<string | null> {
    const rule = await row(
      tx,
      sql<{ sealed: Buffer | null }>`select sealed_secret as sealed from notification_rules
        where tenant_id = ${tenantId} and id = ${id}`,
    );
    if (!rule?.sealed) return null;
    const context = SEALED_NOTIFICATION_SECRETS.context(tenantId, id, secretVersion);
    return openSealedValue(this.runtime.masterKey, rule.sealed, context).toString();
  }
}
