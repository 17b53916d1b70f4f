import { SetMetadata } from '@nestjs/common';
import type { Reach, TokenAccess } from './caller-limits.js';
import type { Role } from './principal.js';

export const POLICY = 'runward:policy';

export interface TokenRule extends HeldRule {
  /** Default: `tenant`, which is closed to tokens that are limited to environments or plans. */
  reach?: Reach;
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

export interface HeldRule {
  /** The route is available in a held installation, because it affects only the caller: signing in and out. */
  allowedWhileHeld?: true;
}

export type Policy = ({ public: true } & HeldRule) | ({ public: false; role: Role } & TokenRule);

export const Public = (rule: HeldRule = {}) => SetMetadata(POLICY, { public: true, ...rule } satisfies Policy);

/**
 * Marks a route that needs a signed-in caller with at least this role. `rule` adds requirements for tokens with limits.
 */
export const Requires = (role: Role, rule: TokenRule = {}) =>
  SetMetadata(POLICY, { public: false, role, ...rule } satisfies Policy);

export const accessOf = ({ access }: TokenRule, method: string): TokenAccess =>
  access ?? (reads(method) ? 'read' : 'all');

export const reads = (method: string): boolean => method === 'GET' || method === 'HEAD';
