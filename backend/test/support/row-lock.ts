import type { TestDatabase } from './database.js';

/**
 * Runs SQL as the owner in a transaction, starts `act`, waits until so many of its statements stand at the locks that
 * the transaction holds, and only then commits: a race that always ends the same way.
 * @param meanwhile what happens while they all wait
 */
export async function whileLocked<T>(
  database: TestDatabase,
  sql: string,
  waiting: number,
  act: () => Promise<T>,
  meanwhile: () => void = () => undefined,
): Promise<T> {
  await database.query(`begin; ${sql}`);
  const result = act();
  try {
    const deadline = Date.now() + 10_000;
    for (;;) {
      // Inside of a transaction the view would show what it showed first.
      await database.query('select pg_stat_clear_snapshot()');
      const [row] = await database.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`,
      );
      if ((row?.count ?? 0) >= waiting) {
        meanwhile();
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
