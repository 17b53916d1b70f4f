import type { EntityManager } from 'typeorm';

/**
 * What a member proves who they are with, or names themselves by; what a host registers itself with; and what a forge
 * calls that tells of a push; and whose tokens are taken in exchange.
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
  /** A hash or a public id: the directory holds nothing that is secret or personal. */
  key: Buffer;
  tenantId: string;
  /** The member, session, token, link, enrolment, git source or trust rule. */
  recordId: string;
}

/** Has a credential lead to its tenant before any tenant is known. */
export async function enlist(tx: EntityManager, { kind, key, tenantId, recordId }: DirectoryEntry): Promise<void> {
  await tx.query('insert into auth_directory (kind, key, tenant_id, record_id) values ($1, $2, $3, $4)', [
    kind,
    key,
    tenantId,
    recordId,
  ]);
}

/** Where a credential leads to; null: nobody has it. Asked before any tenant is known. */
export async function placeOfCredential(
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

/** Takes credentials of one kind out of the directory. */
export async function unlist(
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

/** Takes one credential of a tenant out of the directory. */
export async function unlistKey(
  tx: EntityManager,
  { kind, key, tenantId }: Omit<DirectoryEntry, 'recordId'>,
): Promise<void> {
  await tx.query('delete from auth_directory where kind = $1 and key = $2 and tenant_id = $3', [kind, key, tenantId]);
}
