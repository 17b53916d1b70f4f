import { type QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { meQuery } from '../api/queries/access/session';
import { NotFound, NotFoundText } from './NotFound';
import { RouteError } from './RouteError';
import { PageSkeleton } from '../ui/feedback/Skeletons';
import { given, instant, oneOf, type Search, text, texts, wholeNumber } from './search';
import { Shell } from './Shell';

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Search) => given({ redirect: text(search.redirect) }),
  component: lazyRouteComponent(() => import('../features/session/LoginPage'), 'LoginPage'),
});

/** The secret of a one-time link is in the URL fragment, so this route has no search parameters. */
const setPassword = createRoute({
  getParentRoute: () => root,
  path: '/set-password',
  component: lazyRouteComponent(() => import('../features/session/SetPasswordPage'), 'SetPasswordPage'),
});

/**
 * All pages that need a session. `start` is the plan whose start dialog is open, `again` the run that it repeats;
 * `exact` restricts the start to what that run, a dry run, has shown.
 */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'app',
  validateSearch: (search: Search) =>
    given({ start: text(search.start), again: text(search.again), exact: oneOf(text(search.exact), ['1'] as const) }),
  beforeLoad: async ({ context, location }) => {
    const me = await context.queryClient.ensureQueryData(meQuery);
    if (!me) redirect({ to: '/login', search: { redirect: location.href }, throw: true });
  },
  component: Shell,
});

const page = { getParentRoute: () => shell };

const dashboard = createRoute({
  ...page,
  path: '/',
  component: lazyRouteComponent(() => import('../features/dashboard/DashboardPage'), 'DashboardPage'),
});

const plans = createRoute({
  ...page,
  path: '/plans',
  validateSearch: (search: Search) =>
    given({ q: text(search.q), environment: text(search.environment), collection: text(search.collection) }),
  component: lazyRouteComponent(() => import('../features/plans/list/PlansPage'), 'PlansPage'),
});

const newPlan = createRoute({
  ...page,
  path: '/plans/new',
  validateSearch: (search: Search) => given({ collection: text(search.collection) }),
  component: lazyRouteComponent(() => import('../features/plans/editor/NewPlanPage'), 'NewPlanPage'),
});

const importPlans = createRoute({
  ...page,
  path: '/plans/import',
  validateSearch: (search: Search) => given({ collection: text(search.collection) }),
  component: lazyRouteComponent(() => import('../features/plans/import/ImportPlansPage'), 'ImportPlansPage'),
});

/** Which revision is open, and which two are compared. */
const revisions = (search: Search) => ({
  revision: wholeNumber(search.revision),
  earlier: wholeNumber(search.earlier),
  later: wholeNumber(search.later),
});

const plan = createRoute({
  ...page,
  path: '/plans/$id',
  validateSearch: (search: Search) =>
    given({ tab: oneOf(search.tab, ['runs', 'revisions'] as const), ...revisions(search) }),
  component: lazyRouteComponent(() => import('../features/plans/detail/PlanPage'), 'PlanPage'),
});

const scripts = createRoute({
  ...page,
  path: '/scripts',
  validateSearch: (search: Search) => given({ q: text(search.q) }),
  component: lazyRouteComponent(() => import('../features/library/ScriptsPage'), 'ScriptsPage'),
});

const newScript = createRoute({
  ...page,
  path: '/scripts/new',
  component: lazyRouteComponent(() => import('../features/library/NewScriptPage'), 'NewScriptPage'),
});

const script = createRoute({
  ...page,
  path: '/scripts/$id',
  validateSearch: (search: Search) => given({ tab: oneOf(search.tab, ['revisions'] as const), ...revisions(search) }),
  component: lazyRouteComponent(() => import('../features/library/ScriptPage'), 'ScriptPage'),
});

const templates = createRoute({
  ...page,
  path: '/templates',
  validateSearch: (search: Search) => given({ q: text(search.q) }),
  component: lazyRouteComponent(() => import('../features/library/TemplatesPage'), 'TemplatesPage'),
});

const newTemplate = createRoute({
  ...page,
  path: '/templates/new',
  component: lazyRouteComponent(() => import('../features/library/NewTemplatePage'), 'NewTemplatePage'),
});

const template = createRoute({
  ...page,
  path: '/templates/$id',
  validateSearch: (search: Search) => given({ tab: oneOf(search.tab, ['revisions'] as const), ...revisions(search) }),
  component: lazyRouteComponent(() => import('../features/library/TemplatePage'), 'TemplatePage'),
});

const gitSources = createRoute({
  ...page,
  path: '/git-sources',
  validateSearch: (search: Search) => given({ q: text(search.q), open: oneOf(search.open, ['new'] as const) }),
  component: lazyRouteComponent(() => import('../features/git-sources/GitSourcesPage'), 'GitSourcesPage'),
});

/** `path` is the open folder, `file` the open file, `at` the commit that they are shown at instead of the current one. */
const gitSource = createRoute({
  ...page,
  path: '/git-sources/$id',
  validateSearch: (search: Search) =>
    given({
      tab: oneOf(search.tab, ['commits', 'plans'] as const),
      open: oneOf(search.open, ['edit', 'delete'] as const),
      path: text(search.path),
      file: text(search.file),
      at: text(search.at),
    }),
  component: lazyRouteComponent(() => import('../features/git-sources/GitSourcePage'), 'GitSourcePage'),
});

const notificationRules = createRoute({
  ...page,
  path: '/notifications',
  validateSearch: (search: Search) => given({ q: text(search.q), open: oneOf(search.open, ['new'] as const) }),
  component: lazyRouteComponent(() => import('../features/notifications/NotificationsPage'), 'NotificationsPage'),
});

const notificationRule = createRoute({
  ...page,
  path: '/notifications/$id',
  validateSearch: (search: Search) => given({ open: oneOf(search.open, ['edit', 'delete'] as const) }),
  component: lazyRouteComponent(() => import('../features/notifications/NotificationRulePage'), 'NotificationRulePage'),
});

const schedules = createRoute({
  ...page,
  path: '/schedules',
  validateSearch: (search: Search) =>
    given({ q: text(search.q), plan: text(search.plan), environment: text(search.environment) }),
  component: lazyRouteComponent(() => import('../features/schedules/SchedulesPage'), 'SchedulesPage'),
});

const newSchedule = createRoute({
  ...page,
  path: '/schedules/new',
  validateSearch: (search: Search) => given({ plan: text(search.plan) }),
  component: lazyRouteComponent(() => import('../features/schedules/NewSchedulePage'), 'NewSchedulePage'),
});

const schedule = createRoute({
  ...page,
  path: '/schedules/$id',
  validateSearch: (search: Search) =>
    given({
      tab: oneOf(search.tab, ['settings'] as const),
      open: oneOf(search.open, ['pause', 'delete'] as const),
    }),
  component: lazyRouteComponent(() => import('../features/schedules/SchedulePage'), 'SchedulePage'),
});

const executions = createRoute({
  ...page,
  path: '/executions',
  validateSearch: (search: Search) =>
    given({
      status: text(search.status),
      plan: text(search.plan),
      environment: text(search.environment),
      awaiting: oneOf(search.awaiting, ['me'] as const),
      label: texts(search.label),
    }),
  component: lazyRouteComponent(() => import('../features/executions/ExecutionsPage'), 'ExecutionsPage'),
});

const execution = createRoute({
  ...page,
  path: '/executions/$id',
  validateSearch: (search: Search) =>
    given({
      step: text(search.step),
      host: text(search.host),
      line: wholeNumber(search.line),
      q: text(search.q),
      hosts: text(search.hosts),
      show: oneOf(search.show, ['failed', 'active', 'good'] as const),
      verdict: text(search.verdict),
      stream: oneOf(search.stream, ['stdout', 'stderr'] as const),
    }),
  component: lazyRouteComponent(() => import('../features/executions/ExecutionPage'), 'ExecutionPage'),
});

const servers = createRoute({
  ...page,
  path: '/servers',
  validateSearch: (search: Search) =>
    given({
      q: text(search.q),
      environment: text(search.environment),
      selector: text(search.selector),
      state: text(search.state),
      enabled: oneOf(search.enabled, ['yes', 'no'] as const),
      sort: text(search.sort),
      edit: text(search.edit),
      enrol: oneOf(search.enrol, ['new'] as const),
    }),
  component: lazyRouteComponent(() => import('../features/inventory/list/ServersPage'), 'ServersPage'),
});

const server = createRoute({
  ...page,
  path: '/servers/$id',
  validateSearch: (search: Search) =>
    given({ tab: text(search.tab), open: oneOf(search.open, ['edit', 'doctor', 'delete'] as const) }),
  component: lazyRouteComponent(() => import('../features/inventory/page/ServerPage'), 'ServerPage'),
});

/** The path of the record in the API, for whoever makes a link from it. */
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
  component: lazyRouteComponent(() => import('../features/inventory/import/ImportPage'), 'ImportPage'),
});

const imports = createRoute({
  ...page,
  path: '/servers/imports',
  validateSearch: (search: Search) => given({ environment: text(search.environment) }),
  component: lazyRouteComponent(() => import('../features/inventory/import/ImportsPage'), 'ImportsPage'),
});

const enrolments = createRoute({
  ...page,
  path: '/servers/enrolments',
  validateSearch: (search: Search) => given({ show: oneOf(search.show, ['open'] as const) }),
  component: lazyRouteComponent(() => import('../features/inventory/enrolment/EnrolmentsPage'), 'EnrolmentsPage'),
});

const webhooks = createRoute({
  ...page,
  path: '/webhooks',
  validateSearch: (search: Search) => given({ q: text(search.q), open: oneOf(search.open, ['new'] as const) }),
  component: lazyRouteComponent(() => import('../features/webhooks/WebhooksPage'), 'WebhooksPage'),
});

/** `state` filters the deliveries, `delivery` is the open one. */
const webhook = createRoute({
  ...page,
  path: '/webhooks/$id',
  validateSearch: (search: Search) =>
    given({
      state: oneOf(search.state, ['pending', 'delivered', 'dead'] as const),
      delivery: text(search.delivery),
      open: oneOf(search.open, ['edit', 'delete', 'verify', 'rotate', 'replay'] as const),
    }),
  component: lazyRouteComponent(() => import('../features/webhooks/WebhookPage'), 'WebhookPage'),
});

const environments = createRoute({
  ...page,
  path: '/environments',
  validateSearch: (search: Search) => given({ q: text(search.q) }),
  component: lazyRouteComponent(() => import('../features/environments/EnvironmentsPage'), 'EnvironmentsPage'),
});

const environment = createRoute({
  ...page,
  path: '/environments/$id',
  validateSearch: (search: Search) =>
    given({ tab: oneOf(search.tab, ['access', 'protection', 'windows'] as const), q: text(search.q) }),
  component: lazyRouteComponent(() => import('../features/environments/EnvironmentPage'), 'EnvironmentPage'),
});

const keys = createRoute({
  ...page,
  path: '/keys',
  validateSearch: (search: Search) => given({ q: text(search.q) }),
  component: lazyRouteComponent(() => import('../features/keys/KeysPage'), 'KeysPage'),
});

const key = createRoute({
  ...page,
  path: '/keys/$id',
  validateSearch: (search: Search) => given({ open: oneOf(search.open, ['rotate', 'rename'] as const) }),
  component: lazyRouteComponent(() => import('../features/keys/KeyPage'), 'KeyPage'),
});

const rotations = createRoute({
  ...page,
  path: '/keys/rotations',
  component: lazyRouteComponent(() => import('../features/keys/rotation/RotationsPage'), 'RotationsPage'),
});

const rotation = createRoute({
  ...page,
  path: '/keys/rotations/$id',
  validateSearch: (search: Search) => given({ state: text(search.state), q: text(search.q) }),
  component: lazyRouteComponent(() => import('../features/keys/rotation/RotationPage'), 'RotationPage'),
});

const tokens = createRoute({
  ...page,
  path: '/settings/tokens',
  validateSearch: (search: Search) => given({ user: text(search.user) }),
  component: lazyRouteComponent(() => import('../features/tokens/TokensPage'), 'TokensPage'),
});

const sessions = createRoute({
  ...page,
  path: '/settings/sessions',
  component: lazyRouteComponent(() => import('../features/session/SessionsPage'), 'SessionsPage'),
});

const members = createRoute({
  ...page,
  path: '/settings/members',
  validateSearch: (search: Search) => given({ q: text(search.q), sessions: text(search.sessions) }),
  component: lazyRouteComponent(() => import('../features/members/MembersPage'), 'MembersPage'),
});

const serviceAccounts = createRoute({
  ...page,
  path: '/settings/service-accounts',
  validateSearch: (search: Search) => given({ q: text(search.q), open: oneOf(search.open, ['new'] as const) }),
  component: lazyRouteComponent(() => import('../features/machines/ServiceAccountsPage'), 'ServiceAccountsPage'),
});

const trustRules = createRoute({
  ...page,
  path: '/settings/trust-rules',
  validateSearch: (search: Search) => given({ q: text(search.q), open: oneOf(search.open, ['new', 'try'] as const) }),
  component: lazyRouteComponent(() => import('../features/machines/TrustRulesPage'), 'TrustRulesPage'),
});

const retention = createRoute({
  ...page,
  path: '/settings/retention',
  component: lazyRouteComponent(() => import('../features/retention/RetentionPage'), 'RetentionPage'),
});

const audit = createRoute({
  ...page,
  path: '/audit',
  validateSearch: (search: Search) =>
    given({
      actor: text(search.actor),
      action: text(search.action),
      type: text(search.type),
      resource: text(search.resource),
      from: instant(search.from),
      to: instant(search.to),
      entry: text(search.entry),
      at: instant(search.at),
    }),
  component: lazyRouteComponent(() => import('../features/audit/AuditPage'), 'AuditPage'),
});

/** Unknown paths are shown within the shell, so that its navigation stays. */
const nowhere = createRoute({ ...page, path: '$', component: NotFoundText });

const routeTree = root.addChildren([
  login,
  setPassword,
  shell.addChildren([
    dashboard,
    plans,
    newPlan,
    importPlans,
    plan,
    scripts,
    newScript,
    script,
    templates,
    newTemplate,
    template,
    gitSources,
    gitSource,
    schedules,
    newSchedule,
    schedule,
    executions,
    execution,
    servers,
    server,
    serverOfApi,
    importServers,
    imports,
    enrolments,
    webhooks,
    webhook,
    environments,
    environment,
    keys,
    key,
    rotations,
    rotation,
    tokens,
    sessions,
    members,
    serviceAccounts,
    trustRules,
    retention,
    notificationRules,
    notificationRule,
    audit,
    nowhere,
  ]),
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
