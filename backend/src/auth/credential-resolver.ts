import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { getRequestCookie } from '@nestjs/core/helpers/cookies/request-cookies.js';
import type { Request } from 'express';
import { DataSource } from 'typeorm';
import type { Principal, Role, RunwardRequest } from '../common/access/principal.js';
import { hashSecret, parseToken } from '../common/crypto/api-token.js';
import { unauthorized } from '../common/errors/problem.js';

export const SESSION_COOKIE = 'runward_session';

interface ResolvedRow {
  credential_id: string;
  tenant_id: string;
  tenant_name: string;
  user_id: string;
  email: string;
  user_name: string;
  role: Role;
  token_prefix: string | null;
  secret_hash: Buffer;
}

/** A credential as it was sent, kept so that a long stream can ask again whether it still holds. */
export type Credential = { kind: 'token'; id: string; secret: string } | { kind: 'session'; secret: string };

/** Finds out who sent a request. Role and status are read live, per request (spec, Authentication 7). */
@Injectable()
export class CredentialResolver {
  constructor(private readonly dataSource: DataSource) {}

  /** The caller of this request. @throws Problem 401 when there is none, or the credential no longer holds */
  async resolveRequest(request: Request & RunwardRequest): Promise<Principal> {
    const credential = credentialOf(request);
    const principal = credential && (await this.resolve(credential, request.ip ?? '', request.requestId));
    if (!principal) throw unauthorized();
    return principal;
  }

  /** The live principal behind a credential, or null when it is unknown, expired, revoked or its user disabled. */
  async resolve(credential: Credential, address: string, requestId: string): Promise<Principal | null> {
    const secretHash = hashSecret(credential.secret);
    const [row] = await this.dataSource.query<ResolvedRow[]>(
      credential.kind === 'token' ? 'select * from resolve_token($1, $2)' : 'select * from resolve_session($1, $2)',
      [credential.kind === 'token' ? Buffer.from(credential.id) : secretHash, address],
    );
    if (!row || row.secret_hash.length !== secretHash.length || !timingSafeEqual(row.secret_hash, secretHash))
      return null;
    return {
      userId: row.user_id,
      tenantId: row.tenant_id,
      tenantName: row.tenant_name,
      email: row.email,
      name: row.user_name,
      role: row.role,
      via: credential.kind,
      credentialId: row.credential_id,
      tokenPrefix: row.token_prefix,
      address,
      requestId,
    };
  }
}

/** The credential that a request carries. A bearer token goes before a cookie; a malformed one counts as none. */
export function credentialOf(request: Request): Credential | null {
  const header = request.headers.authorization;
  if (header !== undefined) {
    const [scheme, token, ...rest] = header.trim().split(/ +/);
    if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0) return null;
    const parsed = parseToken(token);
    return parsed && { kind: 'token', ...parsed };
  }
  const secret = getRequestCookie(request, SESSION_COOKIE);
  return secret ? { kind: 'session', secret } : null;
}
