import type { EntityManager } from 'typeorm';
import { affected, row, sql } from '../../common/database/sql.js';

/**
 * Kind of credential or identifier. Its owner is a member, a host that registers itself, a forge that reports a push,
 * or an issuer whose tokens are exchanged.
 */
export type CredentialKind =
  | 'email'
  | 'enrolment'
  | 'git_source'
  | 'oidc_issuer'
  | 'password_link'
  | 'session'
  | 'token';

export interface DirectoryEntry {
  kind: CredentialKind;
  /** Hash or public ID. The directory contains nothing secret or personal. */
  key: Buffer;
  tenantId: string;
  recordId: string;
}

export async function addToDirectory(
  tx: EntityManager,
  { kind, key, tenantId, recordId }: DirectoryEntry,
): Promise<void> {
  await affected(
    tx,
    sql`insert into auth_directory (kind, key, tenant_id, record_id) values (${kind}, ${key}, ${tenantId}, ${recordId})`,
  );
}

/** Returns the record of a credential; null = unknown. Works before the tenant is known. */
export async function findCredential(
  tx: EntityManager,
  kind: CredentialKind,
  key: Buffer,
): Promise<{ tenantId: string; recordId: string } | null> {
  const entry = await row(
    tx,
    sql<{ tenantId: string; recordId: string }>`
      select tenant_id as "tenantId", record_id as "recordId" from auth_directory where kind = ${kind} and key = ${key}`,
  );
  return entry ?? null;
}

export async function removeFromDirectory(
  tx: EntityManager,
  kind: CredentialKind,
  tenantId: string,
  recordIds: readonly string[],
): Promise<void> {
  if (recordIds.length === 0) return;
  await affected(
    tx,
    sql`delete from auth_directory where kind = ${kind} and tenant_id = ${tenantId} and record_id = any (${recordIds})`,
  );
}

export async function removeKeyFromDirectory(
  tx: EntityManager,
  { kind, key, tenantId }: Omit<DirectoryEntry, 'recordId'>,
): Promise<void> {
  await affected(tx, sql`delete from auth_directory where kind = ${kind} and key = ${key} and tenant_id = ${tenantId}`);
}
