import { createRoute } from '@tanstack/react-router';
import { planQuery, plansQuery } from '../../api/queries/plans/plans';
import { given, oneOf, type Search, text, wholeNumber } from '../../ui/page/search';
import { lazyPage } from './lazy-page';
import { whenSignedIn } from './prefetch';
import { page } from './shell-route';

const plans = createRoute({
  ...page,
  path: '/plans',
  loader: ({ context: { queryClient }, location }) =>
    whenSignedIn(queryClient, () => {
      if (location.searchStr === '') void queryClient.prefetchInfiniteQuery(plansQuery({}));
    }),
  validateSearch: (search: Search) =>
    given({ q: text(search.q), environment: text(search.environment), collection: text(search.collection) }),
  component: lazyPage(() => import('../../features/plans/list/PlansPage'), 'PlansPage'),
});

const newPlan = createRoute({
  ...page,
  path: '/plans/new',
  validateSearch: (search: Search) => given({ collection: text(search.collection) }),
  component: lazyPage(() => import('../../features/plans/editor/NewPlanPage'), 'NewPlanPage'),
});

const importPlans = createRoute({
  ...page,
  path: '/plans/import',
  validateSearch: (search: Search) => given({ collection: text(search.collection) }),
  component: lazyPage(() => import('../../features/plans/import/ImportPlansPage'), 'ImportPlansPage'),
});

/** The open revision, and the two revisions to compare. */
const revisions = (search: Search) => ({
  revision: wholeNumber(search.revision),
  earlier: wholeNumber(search.earlier),
  later: wholeNumber(search.later),
});

const plan = createRoute({
  ...page,
  path: '/plans/$id',
  loader: ({ context: { queryClient }, params }) =>
    whenSignedIn(queryClient, () => void queryClient.prefetchQuery(planQuery(params.id))),
  validateSearch: (search: Search) =>
    given({ tab: oneOf(search.tab, ['edit', 'runs', 'revisions'] as const), ...revisions(search) }),
  component: lazyPage(() => import('../../features/plans/detail/PlanPage'), 'PlanPage'),
});

const scripts = createRoute({
  ...page,
  path: '/scripts',
  validateSearch: (search: Search) => given({ q: text(search.q) }),
  component: lazyPage(() => import('../../features/library/ScriptsPage'), 'ScriptsPage'),
});

const newScript = createRoute({
  ...page,
  path: '/scripts/new',
  component: lazyPage(() => import('../../features/library/NewScriptPage'), 'NewScriptPage'),
});

const script = createRoute({
  ...page,
  path: '/scripts/$id',
  validateSearch: (search: Search) => given({ tab: oneOf(search.tab, ['revisions'] as const), ...revisions(search) }),
  component: lazyPage(() => import('../../features/library/ScriptPage'), 'ScriptPage'),
});

const templates = createRoute({
  ...page,
  path: '/templates',
  validateSearch: (search: Search) => given({ q: text(search.q) }),
  component: lazyPage(() => import('../../features/library/TemplatesPage'), 'TemplatesPage'),
});

const newTemplate = createRoute({
  ...page,
  path: '/templates/new',
  component: lazyPage(() => import('../../features/library/NewTemplatePage'), 'NewTemplatePage'),
});

const template = createRoute({
  ...page,
  path: '/templates/$id',
  validateSearch: (search: Search) => given({ tab: oneOf(search.tab, ['revisions'] as const), ...revisions(search) }),
  component: lazyPage(() => import('../../features/library/TemplatePage'), 'TemplatePage'),
});

const gitSources = createRoute({
  ...page,
  path: '/git-sources',
  validateSearch: (search: Search) => given({ q: text(search.q), open: oneOf(search.open, ['new'] as const) }),
  component: lazyPage(() => import('../../features/git-sources/GitSourcesPage'), 'GitSourcesPage'),
});

/** `path` is the open folder, `file` the open file, `at` the commit to show instead of the current one. */
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
  component: lazyPage(() => import('../../features/git-sources/GitSourcePage'), 'GitSourcePage'),
});

const schedules = createRoute({
  ...page,
  path: '/schedules',
  validateSearch: (search: Search) =>
    given({
      q: text(search.q),
      plan: text(search.plan),
      environment: text(search.environment),
      view: oneOf(search.view, ['calendar'] as const),
      span: oneOf(search.span, ['week'] as const),
      date: text(search.date),
    }),
  component: lazyPage(() => import('../../features/schedules/SchedulesPage'), 'SchedulesPage'),
});

const newSchedule = createRoute({
  ...page,
  path: '/schedules/new',
  validateSearch: (search: Search) => given({ plan: text(search.plan) }),
  component: lazyPage(() => import('../../features/schedules/NewSchedulePage'), 'NewSchedulePage'),
});

const schedule = createRoute({
  ...page,
  path: '/schedules/$id',
  validateSearch: (search: Search) =>
    given({
      tab: oneOf(search.tab, ['settings'] as const),
      open: oneOf(search.open, ['pause', 'delete'] as const),
    }),
  component: lazyPage(() => import('../../features/schedules/SchedulePage'), 'SchedulePage'),
});

export const automationRoutes = [
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
] as const;
