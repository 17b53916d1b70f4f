import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { type CallerLimits, isLimitedToEnvironments } from './caller-limits.js';

/** In ascending order of rights. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const roleIncludes = (role: Role, requiredRole: Role): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(requiredRole);

/**
 * Authenticated caller of a request, and first argument of every service method. Created for each request from current
 * rows.
 */
export interface Principal {
  userId: string;
  tenantId: string;
  tenantName: string;
  email: string;
  name: string;
  role: Role;
  /** `schedule`: no request; a schedule acts with the current rights of its owner. */
  via: 'session' | 'token' | 'schedule';
  credentialId: string;
  /** Visible prefix of the token; null unless `via` is `token`. */
  tokenPrefix: string | null;
  /** Members who know the secret of the token, or of a token that created it. Each of them can use the token. */
  heldBy: readonly string[];
  /** Restrictions of the credential; null = all rights of the member. */
  limits: CallerLimits | null;
  address: string;
  requestId: string;
}

/** Whether the caller can see every environment of the tenant: admins whose credential has no limits. */
export const canSeeAllEnvironments = ({ role, limits }: Principal): boolean =>
  role === 'admin' && !isLimitedToEnvironments(limits);

/** True for a service account and for a token from a trust rule. */
export const isServiceAccount = ({ limits }: Principal): boolean => limits?.machine === true;

export interface RunwardRequest {
  principal?: Principal;
  requestId: string;
}

export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const principal = context.switchToHttp().getRequest<RunwardRequest>().principal;
  if (!principal) throw new Error('A public route asked for its caller.');
  return principal;
});

/** Validates the credential of a request again, for example while a stream is open. */
export interface CredentialCheck {
  /** @throws Problem 401 if the credential is no longer valid */
  resolveRequest(request: Request & RunwardRequest): Promise<Principal>;
}

/** Injection token of `CredentialCheck`; the module `auth` provides it. */
export const CREDENTIAL_CHECK = Symbol('credential-check');
