import type { EntityManager } from 'typeorm';
import type { Principal } from '../access/principal.js';
import type { LibraryKind } from './library-kind.js';

export interface LibraryUser {
  id: string;
  name: string;
  visible: boolean;
  /** Number of users that the caller cannot see. */
  hidden: number;
}

/** Finds plans that use a script or template. Returns at most `most` plans, those visible to the caller first. */
export type LibraryUse = (
  tx: EntityManager,
  caller: Principal,
  stepField: LibraryKind['stepField'] | 'gitSourceId' | 'planId',
  id: string,
  most: number,
) => Promise<LibraryUser[]>;

/** Injection token of `LibraryUse`, implemented by the module `plans`. */
export const LIBRARY_USE = Symbol('library-use');
