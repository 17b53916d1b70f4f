import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from 'typeorm';

export interface UnitHooks {
  /** Runs first in the unit. An error ends the unit before its work begins. */
  begun(tx: EntityManager): Promise<void>;
  /** Runs after the work and before the commit, in the same transaction. */
  committing(tx: EntityManager, result: unknown): Promise<void>;
}

const current = new AsyncLocalStorage<UnitHooks>();

/** Runs `work`, and applies `hooks` to all units of work in it. */
export const withUnitHooks = <T>(hooks: UnitHooks, work: () => T): T => current.run(hooks, work);

export const currentUnitHooks = (): UnitHooks | undefined => current.getStore();
