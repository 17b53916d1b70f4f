import { SetMetadata } from '@nestjs/common';
import type { RouteReach, TokenAccess } from './caller-limits.js';
import type { Role } from './principal.js';

export const POLICY_METADATA_KEY = 'runward:policy';

export interface TokenPolicy extends HeldInstallationPolicy {
  /** Default: `tenant`, which is closed to tokens that are limited to environments or plans. */
  reach?: RouteReach;
  /** Access that the token needs. Default: `read` for GET, otherwise `all`. */
  access?: TokenAccess;
  /**
   * Whether machines are refused: service accounts and tokens from trust rules.
   * - `true`: always, with 403 `person_required`
   * - `by_content`: the service decides by the content of the change
   * - `false` or absent: never
   *
   * Required for routes that write rights, protection or evidence (`RoutePolicies`).
   */
  people?: boolean | 'by_content';
}

export interface HeldInstallationPolicy {
  /** The route is available in a held installation, because it affects only the caller: signing in and out. */
  allowedWhileHeld?: true;
}

export type Policy = ({ public: true } & HeldInstallationPolicy) | ({ public: false; role: Role } & TokenPolicy);

export const Public = (rule: HeldInstallationPolicy = {}) =>
  SetMetadata(POLICY_METADATA_KEY, { public: true, ...rule } satisfies Policy);

/**
 * Marks a route that needs a signed-in caller with at least this role. `rule` adds requirements for tokens with limits.
 */
export const Requires = (role: Role, rule: TokenPolicy = {}) =>
  SetMetadata(POLICY_METADATA_KEY, { public: false, role, ...rule } satisfies Policy);

export const requiredTokenAccess = ({ access }: TokenPolicy, method: string): TokenAccess =>
  access ?? (isReadMethod(method) ? 'read' : 'all');

export const isReadMethod = (method: string): boolean => method === 'GET' || method === 'HEAD';
