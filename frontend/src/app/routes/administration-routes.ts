import { createRoute } from '@tanstack/react-router';
import { DELIVERY_STATUSES } from '../../api/lists';
import { given, instant, oneOf, type Search, text } from '../../ui/page/search';
import { lazyPage } from './lazy-page';
import { page } from './shell-route';

const webhooks = createRoute({
  ...page,
  path: '/webhooks',
  validateSearch: (search: Search) => given({ q: text(search.q), open: oneOf(search.open, ['new'] as const) }),
  component: lazyPage(() => import('../../features/webhooks/WebhooksPage'), 'WebhooksPage'),
});

/** `state` filters the deliveries; `delivery` is the open delivery. */
const webhook = createRoute({
  ...page,
  path: '/webhooks/$id',
  validateSearch: (search: Search) =>
    given({
      state: oneOf(search.state, DELIVERY_STATUSES),
      delivery: text(search.delivery),
      open: oneOf(search.open, ['edit', 'delete', 'verify', 'rotate', 'replay'] as const),
    }),
  component: lazyPage(() => import('../../features/webhooks/WebhookPage'), 'WebhookPage'),
});

const tokens = createRoute({
  ...page,
  path: '/settings/tokens',
  validateSearch: (search: Search) => given({ user: text(search.user) }),
  component: lazyPage(() => import('../../features/tokens/TokensPage'), 'TokensPage'),
});

const sessions = createRoute({
  ...page,
  path: '/settings/sessions',
  component: lazyPage(() => import('../../features/session/SessionsPage'), 'SessionsPage'),
});

const members = createRoute({
  ...page,
  path: '/settings/members',
  validateSearch: (search: Search) => given({ q: text(search.q), sessions: text(search.sessions) }),
  component: lazyPage(() => import('../../features/members/MembersPage'), 'MembersPage'),
});

const serviceAccounts = createRoute({
  ...page,
  path: '/settings/service-accounts',
  validateSearch: (search: Search) => given({ q: text(search.q), open: oneOf(search.open, ['new'] as const) }),
  component: lazyPage(() => import('../../features/machines/ServiceAccountsPage'), 'ServiceAccountsPage'),
});

const trustRules = createRoute({
  ...page,
  path: '/settings/trust-rules',
  validateSearch: (search: Search) => given({ q: text(search.q), open: oneOf(search.open, ['new', 'try'] as const) }),
  component: lazyPage(() => import('../../features/machines/TrustRulesPage'), 'TrustRulesPage'),
});

const retention = createRoute({
  ...page,
  path: '/settings/retention',
  component: lazyPage(() => import('../../features/retention/RetentionPage'), 'RetentionPage'),
});

const notificationRules = createRoute({
  ...page,
  path: '/notifications',
  validateSearch: (search: Search) => given({ q: text(search.q), open: oneOf(search.open, ['new'] as const) }),
  component: lazyPage(() => import('../../features/notifications/NotificationsPage'), 'NotificationsPage'),
});

const notificationRule = createRoute({
  ...page,
  path: '/notifications/$id',
  validateSearch: (search: Search) => given({ open: oneOf(search.open, ['edit', 'delete'] as const) }),
  component: lazyPage(() => import('../../features/notifications/NotificationRulePage'), 'NotificationRulePage'),
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
  component: lazyPage(() => import('../../features/audit/AuditPage'), 'AuditPage'),
});

export const administrationRoutes = [
  webhooks,
  webhook,
  tokens,
  sessions,
  members,
  serviceAccounts,
  trustRules,
  retention,
  notificationRules,
  notificationRule,
  audit,
] as const;
