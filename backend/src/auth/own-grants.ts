import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import type { MeGrantView } from './auth.view.js';

/** Returns up to `maxCount` grants of the caller, sorted by environment name. */
export type ListOwnGrants = (tx: EntityManager, caller: Principal, maxCount: number) => Promise<MeGrantView[]>;

export const OWN_GRANTS = Symbol('own-grants');
