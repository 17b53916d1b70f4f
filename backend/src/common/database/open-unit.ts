import { AsyncLocalStorage } from 'node:async_hooks';

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
