import type { NamedMembers } from '../environment.reader.js';
import type { EnvironmentAccess } from '../grant-policy.js';

/** People who may do something. Service accounts are not listed. */
export class PermittedPeopleView {
  /**
   * Roles and grants that permit it.
   * @example "operators with the grant \"run\" in \"live\", and admins"
   */
  rule: string;
  /**
   * Names of at most 10 of these people, sorted.
   * @example ["Ana", "Petra"]
   */
  names: string[];
  /** Number of people who are not in `names`. */
  more: number;
}

/** People who may act in an environment, apart from limits of their tokens. */
export class EnvironmentPermissionsView {
  /** People who may start, cancel and rerun runs, and change plans and servers of the environment. */
  run: PermittedPeopleView;
  /** People who may approve runs. Rules such as "not your own run" can prevent it for one run. */
  approve: PermittedPeopleView;
  /** People who give roles and grants. */
  administer: PermittedPeopleView;
}

export const MAX_PERMITTED_NAMES = 10;

export const toPeopleView = ({ count, names }: NamedMembers, rule: string): PermittedPeopleView => ({
  rule,
  names,
  more: Math.max(0, count - names.length),
});

/** @param access null = the environment was deleted */
export function describeRunners(access: EnvironmentAccess | null, environment: string): string {
  if (access === null) return 'admins, because the environment was deleted';
  return access === 'open' ? 'operators and admins' : `operators with the grant "run" in "${environment}", and admins`;
}

export const describeApprovers = (environment: string): string =>
  `members with the grant "approve" in "${environment}", and admins`;
