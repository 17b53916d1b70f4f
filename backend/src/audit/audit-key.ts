import { createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { openSealedValue } from '../common/crypto/envelope.js';
import type { MasterKey } from '../common/crypto/master-key.js';
import { AUDIT_KEY_CONTEXT, readInstallationKeys } from '../common/database/boot/installation.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { RUNTIME, type Runtime } from '../common/settings/runtime.js';
import { deriveAuditKey } from './audit-chain.js';

/**
 * Returns the key of all audit chains. It is derived from the first master key. Later changes of the master key keep
 * it, because existing chains can't be rewritten: it is then stored in the database, sealed.
 * @param sealed stored key; null: the master key was never changed
 */
export const openAuditKey = (masterKey: MasterKey, sealed: Buffer | null): KeyObject =>
  sealed ? createSecretKey(openSealedValue(masterKey, sealed, AUDIT_KEY_CONTEXT)) : deriveAuditKey(masterKey);

@Injectable()
export class AuditKey implements OnModuleInit {
  private key: KeyObject | null = null;

  constructor(
    private readonly units: UnitOfWork,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  async onModuleInit(): Promise<void> {
    const keys = await this.units.runWithoutTenant((tx) => readInstallationKeys(tx));
    this.key = openAuditKey(this.runtime.masterKey, keys?.audit ?? null);
  }

  get value(): KeyObject {
    if (!this.key) throw new Error('The audit key was requested before the start.');
    return this.key;
  }
}
