import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import type { LibraryKind } from './library-kind.js';

export interface LibraryUser {
  id: string;
  name: string;
  visible: boolean;
  hidden: number;
}

/** Finds plans that use a script or template. Returns at most `limit` plans, those visible to the caller first. */
export type FindLibraryUsers = (
  tx: EntityManager,
  caller: Principal,
  stepField: LibraryKind['stepField'] | 'gitSourceId' | 'planId',
  id: string,
  limit: number,
) => Promise<LibraryUser[]>;

export const LIBRARY_USE = Symbol('library-use');
