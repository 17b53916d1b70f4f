import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import type { MeGrantView } from './auth.view.js';

/** The caller's own grants by the environment's name, `most` of them. */
export type OwnGrants = (tx: EntityManager, caller: Principal, most: number) => Promise<MeGrantView[]>;

/** Injection token of the `OwnGrants`; the room `environments` answers it. */
export const OWN_GRANTS = Symbol('own-grants');
