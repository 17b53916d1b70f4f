import type { SealContext } from '../../crypto/envelope.js';
import { affected, type Executor, row, sql } from '../sql.js';

export interface InstallationKeys {
  current: string;
  /** ID of the new master key while a key change is unfinished; null = no key change. */
  next: string | null;
  /** Sealed key of the audit chains; null before the first change of the master key. */
  audit: Buffer | null;
}

export const AUDIT_KEY_CONTEXT: SealContext = {
  tenant: 'installation',
  table: 'installation',
  record: 'only_row',
  field: 'audit_key',
  version: 1,
};

/** @param more.locks locks the row until the transaction ends */
export async function readInstallationKeys(
  executor: Executor,
  { locks = false } = {},
): Promise<InstallationKeys | undefined> {
  return row(
    executor,
    sql<InstallationKeys>`
      select master_key_id as current, next_master_key_id as next, sealed_audit_key as audit from installation
        ${locks ? sql`for update` : sql.none}`,
  );
}

export async function beginMasterKeyChange(executor: Executor, next: string): Promise<void> {
  await affected(executor, sql`update installation set next_master_key_id = ${next}`);
}

/** @param audit key of the audit chains, sealed with the new master key */
export async function endMasterKeyChange(executor: Executor, current: string, audit: Buffer): Promise<void> {
  await affected(
    executor,
    sql`update installation set master_key_id = ${current}, next_master_key_id = null, sealed_audit_key = ${audit}`,
  );
}
