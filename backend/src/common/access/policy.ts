import { SetMetadata } from '@nestjs/common';
import type { Reach, TokenAccess } from './caller-limits.js';
import type { Role } from './principal.js';

export const POLICY = 'runward:policy';

/** What a route demands of who asks with a token that may less than its member. */
export interface TokenRule extends HeldRule {
  /** What it deals with. Unless said, what belongs to the whole tenant: closed to tokens narrowed to environments or plans. */
  reach?: Reach;
  /** What the token has to allow. Unless said, `read` for GET, and `all` for anything else. */
  access?: TokenAccess;
  /**
   * Whether machines are refused: service accounts and tokens that were exchanged for one of an identity provider.
   * - `true`: always, with 403 `person_required`
   * - `by_content`: the service refuses them by what the request changes
   * - `false`, as when it is absent: never
   *
   * Writes of rights, protection and evidence must state it (`RoutePolicies`).
   */
  people?: boolean | 'by_content';
}

/** What a route demands of the installation. */
export interface HeldRule {
  /** A write that a held installation takes as well, because it ends with the caller: signing in and out. */
  whileHeld?: true;
}

/** What a route demands of its caller. */
export type Policy = ({ public: true } & HeldRule) | ({ public: false; role: Role } & TokenRule);

/** The route answers anybody, without credentials. */
export const Public = (rule: HeldRule = {}) => SetMetadata(POLICY, { public: true, ...rule } satisfies Policy);

/** The route needs a signed-in caller of at least this role; tokens that may less than their member get as far as the rule says. */
export const Requires = (role: Role, rule: TokenRule = {}) =>
  SetMetadata(POLICY, { public: false, role, ...rule } satisfies Policy);

/** What a token has to allow for this call of a route. */
export const accessOf = ({ access }: TokenRule, method: string): TokenAccess =>
  access ?? (reads(method) ? 'read' : 'all');

export const reads = (method: string): boolean => method === 'GET' || method === 'HEAD';
