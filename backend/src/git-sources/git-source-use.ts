import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';

export interface GitSourceReferrer {
  type: 'script' | 'template' | 'plan';
  id: string;
  name: string;
  visible: boolean;
}

/** Lists records whose latest revision takes content from the git source, at most `limit` of each type. */
export type GitSourceUse = (
  tx: EntityManager,
  caller: Principal,
  gitSourceId: string,
  limit: number,
) => Promise<GitSourceReferrer[]>;

/** Injection token of the list of `GitSourceUse`, which the modules `scripts`, `templates` and `plans` provide. */
export const GIT_SOURCE_USE = Symbol('git-source-use');
