import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { grantRequiredProblem } from '../common/errors/problem.js';
import type { GitSource } from './records/git-source.entity.js';

export interface ClosedEnvironment {
  name: string;
  visible: boolean;
}

/**
 * Lists environments that use content of the git source and in which the caller cannot run.
 *
 * A plan uses the source if its latest revision takes a file, script or template from it, calls a plan that does, or
 * comes from a plan folder of the source. A plan is used in the environment that it is bound to, in those of its
 * schedules, and where it ran.
 */
export type GitSourceReach = (
  tx: EntityManager,
  caller: Principal,
  gitSourceId: string,
) => Promise<ClosedEnvironment[]>;

/** Injection token of the `GitSourceReach`, which the module `schedules` provides. */
export const GIT_SOURCE_REACH = Symbol('git-source-reach');

const MAX_NAMED_ENVIRONMENTS = 5;

/** @throws Problem 403 `grant_required` */
export function requireGitSourceReach({ name }: Pick<GitSource, 'name'>, closed: readonly ClosedEnvironment[]): void {
  if (closed.length === 0) return;
  const seen = closed.filter(({ visible }) => visible).map((each) => `"${each.name}"`);
  const others = closed.length - Math.min(seen.length, MAX_NAMED_ENVIRONMENTS);
  const parts = [
    ...seen.slice(0, MAX_NAMED_ENVIRONMENTS),
    ...(others > 0 ? [`${others}${seen.length > 0 ? ' more' : ''} where you may not run`] : []),
  ];
  throw grantRequiredProblem(
    `Content of "${name}" runs in environments: ${parts.join(', ')}. Changing the address, branch, credential, host key or plan folders, or deleting it, needs the grant "run" in each of them. Ask an admin for it.`,
  );
}
