import type { QueryClient } from '@tanstack/react-query';
import { awaitingChangesQuery } from '../../api/queries/inventory/protection-changes';
import { awaitingMeQuery, latestExecutionsQuery } from '../../api/queries/runs/executions';
import { environmentOverviewsQuery, overviewQuery, resultMatrixQuery } from '../../api/queries/runs/overview';

/** Environments and plans that the overview shows at first. */
export const FIRST_CARDS = 6;
export const MATRIX_PLANS = 15;

/** Whether the first steps are done. */
export const anySuccessQuery = latestExecutionsQuery({ status: ['SUCCEEDED'] }, 1);

/** Loads what the overview shows before the user filters it. */
export function prefetchOverview(client: QueryClient): void {
  void client.prefetchQuery(overviewQuery);
  void client.prefetchQuery(anySuccessQuery);
  void client.prefetchQuery(awaitingMeQuery);
  void client.prefetchQuery(awaitingChangesQuery);
  void client.prefetchQuery(environmentOverviewsQuery('', FIRST_CARDS));
  void client.prefetchQuery(resultMatrixQuery({ limit: MATRIX_PLANS }));
}
