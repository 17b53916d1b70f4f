import type { EntityManager } from 'typeorm';
import type { Principal } from '../access/principal.js';

/** Whether the caller sees the environment now; not when there is none. */
export type EnvironmentSight = (tx: EntityManager, caller: Principal, environmentId: string) => Promise<boolean>;

/** Injection token of the `EnvironmentSight`; the room `environments` answers it. */
export const ENVIRONMENT_SIGHT = Symbol('environment-sight');
