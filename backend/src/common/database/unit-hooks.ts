import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from 'typeorm';

/** What is done at the edges of each unit of work that is run within {@link withUnitHooks}. */
export interface UnitHooks {
  /** The first thing of the unit; an error here ends it before anything was done. */
  begun(tx: EntityManager): Promise<void>;
  /** After the work, before the unit commits: what is written here stands or falls with it. */
  committing(tx: EntityManager, result: unknown): Promise<void>;
}

const current = new AsyncLocalStorage<UnitHooks>();

/** Runs `work` so that all units of work in it heed `hooks`. */
export const withUnitHooks = <T>(hooks: UnitHooks, work: () => T): T => current.run(hooks, work);

export const currentUnitHooks = (): UnitHooks | undefined => current.getStore();
