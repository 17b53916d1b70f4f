import { isDatabaseUnavailable } from '../../../common/database/database-problem.js';
import { OwnershipLostError } from '../../store/fence.js';
import type { Lease } from './lease.js';

const RETRY_MS = 500;

/** Retries a query while the database is unavailable, until another owner takes the run. @throws OwnershipLostError */
export async function retryWhileDatabaseAway<T>(lease: Pick<Lease, 'lost'>, query: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await query();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      if (lease.lost.aborted) throw new OwnershipLostError();
    }
  }
}
