import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';

/** What takes its content from a git source. */
export interface GitSourceReferrer {
  type: 'script' | 'template' | 'plan';
  id: string;
  name: string;
  visible: boolean;
}

/** Tells who takes content from a git source, by the latest revisions: `most` of each kind. */
export type GitSourceUse = (
  tx: EntityManager,
  caller: Principal,
  gitSourceId: string,
  most: number,
) => Promise<GitSourceReferrer[]>;

/** Injection token of a list of `GitSourceUse`; the rooms `scripts`, `templates` and `plans` answer it. */
export const GIT_SOURCE_USE = Symbol('git-source-use');
