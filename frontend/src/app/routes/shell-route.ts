import { type QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { meQuery } from '../../api/queries/access/session';
import { NotFound } from '../shell/NotFound';
import { given, oneOf, type Search, text } from '../../ui/page/search';
import { Shell } from '../shell/Shell';

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
});

/**
 * All pages that need a session. `start` is the plan whose start dialog is open. `again` is the run to repeat. `into`
 * is the environment that is chosen at first. `exact` limits the start to what that dry run has shown.
 */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  validateSearch: (search: Search) =>
    given({
      start: text(search.start),
      again: text(search.again),
      into: text(search.into),
      exact: oneOf(text(search.exact), ['1'] as const),
    }),
  // A loader runs in parallel with the loaders and scripts of the page. `beforeLoad` would delay them.
  loader: async ({ context, location }) => {
    const me = await context.queryClient.ensureQueryData(meQuery);
    if (!me) redirect({ to: '/login', search: { redirect: location.href }, throw: true });
  },
  component: Shell,
});

export const page = { getParentRoute: () => shellRoute };
