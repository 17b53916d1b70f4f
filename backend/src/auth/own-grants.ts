import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import type { MeGrantView } from './auth.view.js';

/** The caller's own grants by name of the environment, at most `maxCount`. */
export type OwnGrants = (tx: EntityManager, caller: Principal, maxCount: number) => Promise<MeGrantView[]>;

/** Injection token of `OwnGrants`; the module `environments` provides it. */
export const OWN_GRANTS = Symbol('own-grants');
