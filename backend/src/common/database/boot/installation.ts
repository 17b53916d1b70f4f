import type { SealContext } from '../../crypto/envelope.js';
import type { Query } from '../query.js';

/** What the installation knows of its keys. */
export interface InstallationKeys {
  /** Id of the master key that everything is sealed with. */
  current: string;
  /** Id of the key that a change, which was cut off, leads to; null: no change is under way. */
  next: string | null;
  /** The key of the audit chains, sealed; null before the first change of the master key. */
  audit: Buffer | null;
}

/** Where the sealed key of the audit chains stands. */
export const AUDIT_KEY_CONTEXT: SealContext = {
  tenant: 'installation',
  table: 'installation',
  record: 'only_row',
  field: 'audit_key',
  version: 1,
};

/** @param lock holds the keys until the transaction ends */
export async function installationKeys(
  query: Query,
  lock: '' | 'for update' = '',
): Promise<InstallationKeys | undefined> {
  const [row] = await query<InstallationKeys>(
    `select master_key_id as current, next_master_key_id as next, sealed_audit_key as audit from installation ${lock}`,
  );
  return row;
}

/** From here on a change of the master key is under way. */
export async function beginKeyChange(query: Query, next: string): Promise<void> {
  await query('update installation set next_master_key_id = $1', [next]);
}

/** The change of the master key has ended. @param audit the key of the audit chains, sealed with the new one */
export async function endKeyChange(query: Query, current: string, audit: Buffer): Promise<void> {
  await query('update installation set master_key_id = $1, next_master_key_id = null, sealed_audit_key = $2', [
    current,
    audit,
  ]);
}
