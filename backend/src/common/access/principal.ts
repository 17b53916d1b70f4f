import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

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
  via: 'session' | 'token';
  /** The id of the session or token that was shown. */
  credentialId: string;
  /** Visible prefix of the token, when `via` is `token`. */
  tokenPrefix: string | null;
  /** Remote address as seen by this server. */
  address: string;
  requestId: string;
}

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
