import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { conflict } from '../common/errors/problem.js';
import type { GitSource } from './records/git-source.entity.js';

/** An environment where content of a git source runs and where the caller may not run. */
export interface ClosedEnvironment {
  name: string;
  /** Whether the caller may see it. */
  visible: boolean;
}

/**
 * Lists environments where content of the git source is used and where the caller may not run. A plan uses the source
 * when its latest revision takes a file, script or template from it, calls a plan that does, or when a folder of the
 * source made the plan. The plan's environments: the one it is bound to, those of its schedules, those it ran in.
 */
export type GitSourceReach = (
  tx: EntityManager,
  caller: Principal,
  gitSourceId: string,
) => Promise<ClosedEnvironment[]>;

/** Injection token of the `GitSourceReach`; the room `schedules` answers it. */
export const GIT_SOURCE_REACH = Symbol('git-source-reach');

/** Environments that a refusal names. */
const NAMED = 5;

/** @throws Problem 409 `grant_required` */
export function demandReach({ name }: Pick<GitSource, 'name'>, closed: readonly ClosedEnvironment[]): void {
  if (closed.length === 0) return;
  const seen = closed.filter(({ visible }) => visible).map((each) => `"${each.name}"`);
  const others = closed.length - Math.min(seen.length, NAMED);
  const parts = [
    ...seen.slice(0, NAMED),
    ...(others > 0 ? [`${others}${seen.length > 0 ? ' more' : ''} where you may not run`] : []),
  ];
  throw conflict(
    'grant_required',
    `Content of "${name}" runs in environments: ${parts.join(', ')}. Changing the address, branch, credential, host key or plan folders, or deleting it, needs the grant "run" in each of them. Ask an admin.`,
  );
}
