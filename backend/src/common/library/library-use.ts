import type { EntityManager } from 'typeorm';
import type { Principal } from '../access/principal.js';
import type { LibraryKind } from './library-kind.js';

/** A plan whose latest revision uses a script or template. */
export interface LibraryUser {
  id: string;
  name: string;
  /** Whether the caller may see it. */
  visible: boolean;
  /** How many in all the caller may not see. */
  hidden: number;
}

/** Tells which plans use a script or template: `most` of them, those that the caller sees first. */
export type LibraryUse = (
  tx: EntityManager,
  caller: Principal,
  stepField: LibraryKind['stepField'] | 'gitSourceId' | 'planId',
  id: string,
  most: number,
) => Promise<LibraryUser[]>;

/** Injection token of the `LibraryUse`; the room `plans` answers it. */
export const LIBRARY_USE = Symbol('library-use');
