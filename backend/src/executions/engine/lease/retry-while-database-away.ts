import { isDatabaseAway } from '../../../common/database/database-problem.js';
import { OwnershipLost } from '../../store/fence.js';
import type { Lease } from './lease.js';

/** While the database is away, in ms. */
const RETRY_MS = 500;

/** Asks again while the database is away, as long as nobody else took the run. @throws OwnershipLost */
export async function retryWhileDatabaseAway<T>(lease: Pick<Lease, 'lost'>, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      if (lease.lost.aborted) throw new OwnershipLost();
    }
  }
}
