import { createRoute, redirect } from '@tanstack/react-router';
import { serverQuery, serversQuery } from '../../api/queries/inventory/servers';
import { given, oneOf, type Search, text } from '../../ui/page/search';
import { lazyPage } from './lazy-page';
import { whenSignedIn } from './prefetch';
import { page } from './shell-route';

const servers = createRoute({
  ...page,
  path: '/servers',
  loader: ({ context: { queryClient }, location }) =>
    whenSignedIn(queryClient, () => {
      if (location.searchStr === '') void queryClient.prefetchInfiniteQuery(serversQuery({}));
    }),
  validateSearch: (search: Search) =>
    given({
      q: text(search.q),
      environment: text(search.environment),
      selector: text(search.selector),
      state: text(search.state),
      enabled: oneOf(search.enabled, ['yes', 'no'] as const),
      protection: text(search.protection),
      sort: text(search.sort),
      edit: text(search.edit),
      enrol: oneOf(search.enrol, ['new'] as const),
    }),
  component: lazyPage(() => import('../../features/inventory/list/ServersPage'), 'ServersPage'),
});

const server = createRoute({
  ...page,
  path: '/servers/$id',
  loader: ({ context: { queryClient }, params }) =>
    whenSignedIn(queryClient, () => void queryClient.prefetchQuery(serverQuery(params.id))),
  validateSearch: (search: Search) =>
    given({ tab: text(search.tab), open: oneOf(search.open, ['edit', 'doctor', 'delete'] as const) }),
  component: lazyPage(() => import('../../features/inventory/page/ServerPage'), 'ServerPage'),
});

/** Same path as in the API, so that clients can turn an API path into a link. */
const serverOfApi = createRoute({
  ...page,
  path: '/inventory/servers/$id',
  beforeLoad: ({ params }) => redirect({ to: '/servers/$id', params, replace: true, throw: true }),
});

const importServers = createRoute({
  ...page,
  path: '/servers/import',
  validateSearch: (search: Search) =>
    given({
      import: text(search.import),
      environment: text(search.environment),
      action: text(search.action),
    }),
  component: lazyPage(() => import('../../features/inventory/import/ImportPage'), 'ImportPage'),
});

const imports = createRoute({
  ...page,
  path: '/servers/imports',
  validateSearch: (search: Search) => given({ environment: text(search.environment) }),
  component: lazyPage(() => import('../../features/inventory/import/ImportsPage'), 'ImportsPage'),
});

const enrolments = createRoute({
  ...page,
  path: '/servers/enrolments',
  validateSearch: (search: Search) => given({ show: oneOf(search.show, ['open'] as const) }),
  component: lazyPage(() => import('../../features/inventory/enrolment/EnrolmentsPage'), 'EnrolmentsPage'),
});

const environments = createRoute({
  ...page,
  path: '/environments',
  validateSearch: (search: Search) => given({ q: text(search.q), open: oneOf(search.open, ['new'] as const) }),
  component: lazyPage(() => import('../../features/environments/EnvironmentsPage'), 'EnvironmentsPage'),
});

const environment = createRoute({
  ...page,
  path: '/environments/$id',
  validateSearch: (search: Search) =>
    given({ tab: oneOf(search.tab, ['variables', 'access', 'protection', 'windows'] as const), q: text(search.q) }),
  component: lazyPage(() => import('../environment/EnvironmentRoute'), 'EnvironmentRoute'),
});

const keys = createRoute({
  ...page,
  path: '/keys',
  validateSearch: (search: Search) => given({ q: text(search.q), open: oneOf(search.open, ['new'] as const) }),
  component: lazyPage(() => import('../../features/keys/KeysPage'), 'KeysPage'),
});

const key = createRoute({
  ...page,
  path: '/keys/$id',
  validateSearch: (search: Search) => given({ open: oneOf(search.open, ['rotate', 'rename'] as const) }),
  component: lazyPage(() => import('../../features/keys/KeyPage'), 'KeyPage'),
});

const rotations = createRoute({
  ...page,
  path: '/keys/rotations',
  component: lazyPage(() => import('../../features/keys/rotation/RotationsPage'), 'RotationsPage'),
});

const rotation = createRoute({
  ...page,
  path: '/keys/rotations/$id',
  validateSearch: (search: Search) => given({ state: text(search.state), q: text(search.q) }),
  component: lazyPage(() => import('../../features/keys/rotation/RotationPage'), 'RotationPage'),
});

export const inventoryRoutes = [
  servers,
  server,
  serverOfApi,
  importServers,
  imports,
  enrolments,
  environments,
  environment,
  keys,
  key,
  rotations,
  rotation,
] as const;
