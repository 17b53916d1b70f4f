import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type CallerLimits, isKeptToEnvironments } from './caller-limits.js';

/** Roles in ascending order of what they may do. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Whether `role` may do what needs `needed`. */
export const roleIncludes = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** Who is asking: the first argument of every service method. Built anew for each request from live rows. */
export interface Principal {
  userId: string;
  tenantId: string;
  tenantName: string;
  email: string;
  name: string;
  role: Role;
  /** `schedule`: nobody is asking; a schedule acts with the rights that its owner has at this moment. */
  via: 'session' | 'token' | 'schedule';
  /** The id of the session or token that was shown, or of the schedule. */
  credentialId: string;
  /** Visible prefix of the token, when `via` is `token`. */
  tokenPrefix: string | null;
  /** Members to whom the token's secret was shown, or that of a token that it was made with: they can ask with it too. */
  heldBy: readonly string[];
  /** What the credential leaves of the member's rights; null: all of them. */
  limits: CallerLimits | null;
  /** Remote address as seen by this server. */
  address: string;
  requestId: string;
}

/** Whether every environment of the tenant is visible to the caller, as to admins whose token is not narrowed. */
export const seesAllEnvironments = ({ role, limits }: Principal): boolean =>
  role === 'admin' && !isKeptToEnvironments(limits);

/** Whether a machine asks: a service account, or a token that was exchanged for one of an identity provider. */
export const isMachine = ({ limits }: Principal): boolean => limits?.machine === true;

/** What Runward adds to an Express request on its way through the guards. */
export interface RunwardRequest {
  principal?: Principal;
  requestId: string;
}

/** Hands the caller to a handler. Only usable on routes that are not public. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const principal = context.switchToHttp().getRequest<RunwardRequest>().principal;
  if (!principal) throw new Error('A public route asked for its caller.');
  return principal;
});
