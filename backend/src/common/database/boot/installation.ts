import type { SealContext } from '../../crypto/envelope.js';
import type { Query } from '../query.js';

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

/** @param lock locks the row until the transaction ends */
export async function installationKeys(
  query: Query,
  lock: '' | 'for update' = '',
): Promise<InstallationKeys | undefined> {
  const [row] = await query<InstallationKeys>(
    `select master_key_id as current, next_master_key_id as next, sealed_audit_key as audit from installation ${lock}`,
  );
  return row;
}

export async function beginKeyChange(query: Query, next: string): Promise<void> {
  await query('update installation set next_master_key_id = $1', [next]);
}

/** @param audit key of the audit chains, sealed with the new master key */
export async function endKeyChange(query: Query, current: string, audit: Buffer): Promise<void> {
  await query('update installation set master_key_id = $1, next_master_key_id = null, sealed_audit_key = $2', [
    current,
    audit,
  ]);
}
