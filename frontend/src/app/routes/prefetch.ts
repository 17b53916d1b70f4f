import type { QueryClient } from '@tanstack/react-query';
import { meQuery } from '../../api/queries/access/session';

/** Starts the queries of a page while its scripts load. Without a session they would only fail. */
export function whenSignedIn(client: QueryClient, start: () => void): void {
  // The shell reports errors.
  void client.ensureQueryData(meQuery).then(
    (me) => me && start(),
    () => undefined,
  );
}
