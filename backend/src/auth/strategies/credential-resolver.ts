import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { CallerLimits, TokenAccess } from '../../common/access/caller-limits.js';
import type { Principal, Role } from '../../common/access/principal.js';
import { hashSecret } from '../../common/crypto/api-token.js';
import { row, sql } from '../../common/database/sql.js';

export const SESSION_COOKIE_NAME = 'runward_session';

interface ResolvedCredentialRow {
  credential_id: string;
  tenant_id: string;
  tenant_name: string;
  user_id: string;
  email: string;
  user_name: string;
  role: Role;
  token_prefix: string | null;
  secret_hash: Buffer;
  /** This field and the following ones are set only for tokens. */
  access?: TokenAccess;
  environment_ids?: string[] | null;
  plan_ids?: string[] | null;
  /** True: a program holds the token, even if the token acts as a person. */
  machine?: boolean;
  held_by?: string[];
}

/** Returns null if the credential has all rights of its user. */
function toCallerLimits({
  access = 'all',
  environment_ids,
  plan_ids,
  machine,
}: ResolvedCredentialRow): CallerLimits | null {
  if (access === 'all' && !environment_ids && !plan_ids && !machine) return null;
  return {
    access,
    ...(environment_ids ? { environmentIds: environment_ids } : {}),
    ...(plan_ids ? { planIds: plan_ids } : {}),
    ...(machine ? { machine: true as const } : {}),
  };
}

export type Credential = { kind: 'token'; id: string; secret: string } | { kind: 'session'; secret: string };

/** Finds the principal of a credential. Reads role and status for each request. */
@Injectable()
export class CredentialResolver {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the current principal; null: the credential is unknown, expired or revoked, or its user is disabled. */
  async resolveCredential(credential: Credential, address: string, requestId: string): Promise<Principal | null> {
    const secretHash = hashSecret(credential.secret);
    const found = await row(
      this.dataSource,
      credential.kind === 'token'
        ? sql.prepared<ResolvedCredentialRow>`select * from resolve_token(${Buffer.from(credential.id)}, ${address})`
        : sql.prepared<ResolvedCredentialRow>`select * from resolve_session(${secretHash}, ${address})`,
    );
    if (!found || found.secret_hash.length !== secretHash.length || !timingSafeEqual(found.secret_hash, secretHash))
      return null;
    return {
      userId: found.user_id,
      tenantId: found.tenant_id,
      tenantName: found.tenant_name,
      email: found.email,
      name: found.user_name,
      role: found.role,
      via: credential.kind,
      credentialId: found.credential_id,
      tokenPrefix: found.token_prefix,
      heldBy: found.held_by ?? [],
      limits: toCallerLimits(found),
      address,
      requestId,
    };
  }
}
