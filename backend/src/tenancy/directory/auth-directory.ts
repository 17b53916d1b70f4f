import type { EntityManager } from 'typeorm';

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
  await tx.query('insert into auth_directory (kind, key, tenant_id, record_id) values ($1, $2, $3, $4)', [
    kind,
    key,
    tenantId,
    recordId,
  ]);
}

/** Returns the record of a credential; null = unknown. Works before the tenant is known. */
export async function findCredential(
  tx: EntityManager,
  kind: CredentialKind,
  key: Buffer,
): Promise<{ tenantId: string; recordId: string } | null> {
  const [row] = await tx.query<{ tenantId: string; recordId: string }[]>(
    'select tenant_id as "tenantId", record_id as "recordId" from auth_directory where kind = $1 and key = $2',
    [kind, key],
  );
  return row ?? null;
}

export async function removeFromDirectory(
  tx: EntityManager,
  kind: CredentialKind,
  tenantId: string,
  recordIds: readonly string[],
): Promise<void> {
  if (recordIds.length === 0) return;
  await tx.query('delete from auth_directory where kind = $1 and tenant_id = $2 and record_id = any ($3)', [
    kind,
    tenantId,
    recordIds,
  ]);
}

export async function removeKeyFromDirectory(
  tx: EntityManager,
  { kind, key, tenantId }: Omit<DirectoryEntry, 'recordId'>,
): Promise<void> {
  await tx.query('delete from auth_directory where kind = $1 and key = $2 and tenant_id = $3', [kind, key, tenantId]);
}
