import type { EntityManager } from 'typeorm';
import type { Principal } from '../access/principal.js';

export type CanSeeEnvironment = (tx: EntityManager, caller: Principal, environmentId: string) => Promise<boolean>;

/** Injection token of `CanSeeEnvironment`; the module `environments` provides it. */
export const ENVIRONMENT_VISIBILITY = Symbol('environment-visibility');
