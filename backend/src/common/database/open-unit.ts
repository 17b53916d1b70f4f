import { AsyncLocalStorage } from 'node:async_hooks';

/** Work that a unit has begun may go on after its end, so that it is told by a flag of the unit's own. */
const units = new AsyncLocalStorage<{ open: boolean }>();

/** Runs `work` as part of an open unit of work. */
export async function withinOpenUnit<T>(work: () => Promise<T>): Promise<T> {
  const unit = { open: true };
  try {
    return await units.run(unit, work);
  } finally {
    unit.open = false;
  }
}

/**
 * For what may wait long: within a unit of work it would keep a connection of the pool and whatever rows are locked.
 * @throws Error when the caller is within an open unit of work
 */
export function demandNoOpenUnit(): void {
  if (units.getStore()?.open) throw new Error('This waits for long, so it is not called within a unit of work.');
}
