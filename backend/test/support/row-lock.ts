import type { TestDatabase } from './database.js';

/**
 * Creates a race with a fixed order. Runs SQL as the owner in a transaction, starts `act`, waits until `count` of its
 * statements wait for locks of the transaction, and commits.
 * @param onWaiting called while all these statements wait
 */
export async function withLockedRows<T>(
  database: TestDatabase,
  sql: string,
  waiting: number,
  act: () => Promise<T>,
  onWaiting: () => void = () => undefined,
): Promise<T> {
  await database.query(`begin; ${sql}`);
  const result = act();
  try {
    const deadline = Date.now() + 10_000;
    for (;;) {
      // Within a transaction, the view would otherwise keep its first result.
      await database.query('select pg_stat_clear_snapshot()');
      const [row] = await database.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`,
      );
      if ((row?.count ?? 0) >= waiting) {
        onWaiting();
        break;
      }
      if (Date.now() > deadline) throw new Error(`Only ${row?.count} of ${waiting} statements wait for the lock.`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  } finally {
    await database.query('commit');
    await Promise.allSettled([result]);
  }
  return result;
}
