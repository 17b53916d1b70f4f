import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { open, type SealContext } from '../common/crypto/envelope.js';
import type { MasterKey } from '../common/crypto/master-key.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { RUNTIME, type Runtime } from '../common/runtime.js';
import { auditKey } from './audit-chain.js';

/** Where `installation.sealed_audit_key` stands. */
export const AUDIT_KEY_CONTEXT: SealContext = {
  tenant: 'installation',
  table: 'installation',
  record: 'only_row',
  field: 'audit_key',
  version: 1,
};

/**
 * The key of all audit chains. It is derived from the first master key and from then on outlives every change of that
 * one, sealed in the database: a chain can't be written anew.
 * @param sealed as stored; null before the first change of the master key
 */
export const auditKeyOf = (masterKey: MasterKey, sealed: Buffer | null): Buffer =>
  sealed ? open(masterKey, sealed, AUDIT_KEY_CONTEXT) : auditKey(masterKey);

/** The key of the audit chains, opened once at the start. */
@Injectable()
export class AuditKey implements OnModuleInit {
  private key: Buffer | null = null;

  constructor(
    private readonly units: UnitOfWork,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  async onModuleInit(): Promise<void> {
    const [row] = await this.units.runWithoutTenant((tx) =>
      tx.query<{ sealed: Buffer | null }[]>('select sealed_audit_key as sealed from installation'),
    );
    this.key = auditKeyOf(this.runtime.masterKey, row?.sealed ?? null);
  }

  get value(): Buffer {
    if (!this.key) throw new Error('The audit key is asked for before the start.');
    return this.key;
  }
}
