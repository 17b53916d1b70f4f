import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from 'typeorm';

/** Each unit has a flag for its end, because work that it started can outlive it. */
const openUnitStorage = new AsyncLocalStorage<{ open: boolean }>();

export async function runWithinOpenUnit<T>(work: () => Promise<T>): Promise<T> {
  const unit = { open: true };
  try {
    return await openUnitStorage.run(unit, work);
  } finally {
    unit.open = false;
  }
}

/**
 * Rejects a caller inside a unit of work. Call it before a long wait, which would otherwise block a pooled connection
 * and locked rows.
 * @throws Error when the caller is within an open unit of work
 */
export function requireNoOpenUnit(): void {
  if (openUnitStorage.getStore()?.open)
    throw new Error('This function can wait long, so it must not be called within a unit of work.');
}

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
