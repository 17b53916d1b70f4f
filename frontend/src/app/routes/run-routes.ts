import { createRoute } from '@tanstack/react-router';
import { executionQuery, executionsQuery, rerunsQuery } from '../../api/queries/runs/executions';
import { filtersOf, parseRunSearch } from '../../features/executions/run-filters';
import { prefetchOverview } from '../../features/overview/first-queries';
import { given, oneOf, type Search, text, wholeNumber } from '../../ui/page/search';
import { lazyPage } from './lazy-page';
import { whenSignedIn } from './prefetch';
import { page } from './shell-route';

const overview = createRoute({
  ...page,
  path: '/',
  loader: ({ context: { queryClient } }) => whenSignedIn(queryClient, () => prefetchOverview(queryClient)),
  component: lazyPage(() => import('../overview/Overview'), 'Overview'),
});

const trends = createRoute({
  ...page,
  path: '/trends',
  validateSearch: (search: Search) =>
    given({
      plan: text(search.plan),
      environment: text(search.environment),
      days: oneOf(text(search.days), ['7', '30', '90'] as const),
    }),
  component: lazyPage(() => import('../../features/overview/TrendsPage'), 'TrendsPage'),
});

const executions = createRoute({
  ...page,
  path: '/executions',
  validateSearch: parseRunSearch,
  loader: ({ context: { queryClient }, location }) =>
    whenSignedIn(
      queryClient,
      () => void queryClient.prefetchInfiniteQuery(executionsQuery(filtersOf(parseRunSearch(location.search)))),
    ),
  component: lazyPage(() => import('../../features/executions/ExecutionsPage'), 'ExecutionsPage'),
});

const execution = createRoute({
  ...page,
  path: '/executions/$id',
  loader: ({ context: { queryClient }, params: { id } }) =>
    whenSignedIn(queryClient, () => {
      void queryClient.prefetchQuery(executionQuery(id));
      void queryClient.prefetchQuery(rerunsQuery(id));
    }),
  validateSearch: (search: Search) =>
    given({
      step: text(search.step),
      host: text(search.host),
      line: wholeNumber(search.line),
      lineTo: wholeNumber(search.lineTo),
      hit: wholeNumber(search.hit),
      q: text(search.q),
      match: oneOf(search.match, ['case', 'regex', 'case-regex'] as const),
      hosts: text(search.hosts),
      show: oneOf(search.show, ['failed', 'active', 'good'] as const),
      view: oneOf(search.view, ['timeline'] as const),
      cause: text(search.cause),
      sort: oneOf(search.sort, ['name', 'slow'] as const),
      by: text(search.by),
      group: text(search.group),
      verdict: text(search.verdict),
      stream: oneOf(search.stream, ['stdout', 'stderr'] as const),
    }),
  component: lazyPage(() => import('../../features/executions/ExecutionPage'), 'ExecutionPage'),
});

const comparison = createRoute({
  ...page,
  path: '/executions/$id/compare',
  validateSearch: (search: Search) =>
    given({
      with: text(search.with),
      step: text(search.step),
      host: text(search.host),
      q: text(search.q),
      part: oneOf(search.part, ['begin', 'end'] as const),
    }),
  component: lazyPage(() => import('../../features/executions/compare/ComparisonPage'), 'ComparisonPage'),
});

const report = createRoute({
  ...page,
  path: '/executions/$id/report',
  component: lazyPage(() => import('../../features/executions/report/ReportPage'), 'ReportPage'),
});

export const runRoutes = [overview, trends, executions, execution, comparison, report] as const;
