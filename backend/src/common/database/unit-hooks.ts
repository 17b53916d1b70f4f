import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from 'typeorm';

export interface UnitHooks {
  /** Runs first in the unit. An error ends the unit before its work begins. */
  afterBegin(tx: EntityManager): Promise<void>;
  /** Runs after the work and before the commit, in the same transaction. */
  beforeCommitting(tx: EntityManager, result: unknown): Promise<void>;
}

const hooksStorage = new AsyncLocalStorage<UnitHooks>();

/** Runs `work`, and applies `hooks` to all units of work in it. */
export const runWithUnitHooks = <T>(hooks: UnitHooks, work: () => T): T => hooksStorage.run(hooks, work);

export const getCurrentUnitHooks = (): UnitHooks | undefined => hooksStorage.getStore();
