import type { EntityManager } from 'typeorm';
import type { Principal } from '../access/principal.js';

/** Returns whether the environment exists and is visible to the caller. */
export type EnvironmentSight = (tx: EntityManager, caller: Principal, environmentId: string) => Promise<boolean>;

/** Injection token of the `EnvironmentSight`; the module `environments` provides it. */
export const ENVIRONMENT_SIGHT = Symbol('environment-sight');
