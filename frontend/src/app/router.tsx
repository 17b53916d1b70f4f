import { type QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter } from '@tanstack/react-router';
import { PageSkeleton } from '../ui/feedback/Skeletons';
import { NotFound, NotFoundText } from './shell/NotFound';
import { RouteError } from './RouteError';
import { administrationRoutes } from './routes/administration-routes';
import { automationRoutes } from './routes/automation-routes';
import { inventoryRoutes } from './routes/inventory-routes';
import { runRoutes } from './routes/run-routes';
import { sessionRoutes } from './routes/session-routes';
import { page, rootRoute, shellRoute } from './routes/shell-route';

/** Shows unknown paths within the shell, so that its navigation stays. */
const nowhere = createRoute({ ...page, path: '$', component: NotFoundText });

const routeTree = rootRoute.addChildren([
  ...sessionRoutes,
  shellRoute.addChildren([...automationRoutes, ...runRoutes, ...inventoryRoutes, ...administrationRoutes, nowhere]),
]);

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultErrorComponent: RouteError,
    defaultNotFoundComponent: NotFound,
    defaultPendingComponent: PageSkeleton,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
