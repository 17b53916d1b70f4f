import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PassportStrategy } from '@nestjs/passport';
import type { Request, Response } from 'express';
import CustomStrategy from 'passport-custom';
import { getRequestCookie } from '@nestjs/core/helpers/cookies/request-cookies.js';
import passport from 'passport';
import type { CallerLimits, TokenAccess } from '../common/access/caller-limits.js';
import type { Principal, Role, RunwardRequest, CredentialCheck } from '../common/access/principal.js';
import { hashSecret, parseToken } from '../common/crypto/api-token.js';
import { row, sql, affected } from '../common/database/sql.js';
import { unauthorizedProblem } from '../common/errors/problem.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';

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

/**
 * Accepts an API token only in the `Authorization` header. `passport-http-bearer` would also accept it in the query and
 * the body, where it could be logged.
 */
@Injectable()
export class BearerStrategy extends PassportStrategy(CustomStrategy, 'bearer') {
  constructor(private readonly credentials: CredentialResolver) {
    super();
  }

  /** @returns null if there is no valid token */
  async validate(request: Request & RunwardRequest): Promise<Principal | null> {
    const [scheme, token, ...rest] = (request.headers.authorization ?? '').trim().split(/ +/);
    if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0) return null;
    const parsed = parseToken(token);
    return (
      parsed && this.credentials.resolveCredential({ kind: 'token', ...parsed }, request.ip ?? '', request.requestId)
    );
  }
}

/** Accepts a session cookie only if there is no `Authorization` header, which takes precedence. */
@Injectable()
export class SessionStrategy extends PassportStrategy(CustomStrategy, 'session') {
  constructor(private readonly credentials: CredentialResolver) {
    super();
  }

  /** @returns null if there is no valid session */
  async validate(request: Request & RunwardRequest): Promise<Principal | null> {
    if (request.headers.authorization !== undefined) return null;
    const secret = getRequestCookie(request, SESSION_COOKIE_NAME);
    return secret
      ? this.credentials.resolveCredential({ kind: 'session', secret }, request.ip ?? '', request.requestId)
      : null;
  }
}

/**
 * Authenticates requests with passport. The guard calls it for each request; long polls and streams call it repeatedly.
 *
 * Strategies normally register with passport's global instance, which supports one application per process. Here, each
 * application has its own instance. Nothing is serialized: each request reads the session from the database.
 */
@Injectable()
export class Authentication implements CredentialCheck {
  private readonly passport = new passport.Passport();

  constructor(bearer: BearerStrategy, session: SessionStrategy) {
    this.passport.use('bearer', bearer).use('session', session);
  }

  /** @throws Problem 401 if there is no credential or it is no longer valid */
  resolveRequest(request: Request & RunwardRequest): Promise<Principal> {
    return new Promise((resolve, reject) => {
      const done = (error: Error | null, principal?: Principal | false | null) => {
        if (error || !principal) reject(error ?? unauthorizedProblem());
        else resolve(principal);
      };
      // Because of the custom callback, passport does not write to the response.
      const authenticate = this.passport.authenticate(['bearer', 'session'], { session: false }, done) as (
        request: Request,
        response: Response | undefined,
        next: (error: unknown) => void,
      ) => void;
      authenticate(request, request.res, reject);
    });
  }
}

/** Precision of a token's last-used time, in ms. It limits writes to one per token and minute. */
const USAGE_PRECISION_MS = 60_000;

@Injectable()
export class TokenUsage {
  private readonly lastNotedMs = new Map<string, number>();

  constructor(private readonly units: UnitOfWork) {}

  async recordUse(principal: Principal, now: number): Promise<void> {
    if (principal.via !== 'token' || now - (this.lastNotedMs.get(principal.credentialId) ?? 0) < USAGE_PRECISION_MS)
      return;
    if (this.lastNotedMs.size > 10_000) this.lastNotedMs.clear();
    this.lastNotedMs.set(principal.credentialId, now);
    await this.units.run(principal.tenantId, (tx) =>
      affected(
        tx,
        sql`update api_tokens set last_used_at = now(), last_used_address = ${principal.address}
          where tenant_id = ${principal.tenantId} and id = ${principal.credentialId}`,
      ),
    );
  }
}
