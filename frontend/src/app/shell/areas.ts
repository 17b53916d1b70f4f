import { type Icon, IconCompass, IconHistory, IconListCheck, IconServer2, IconSettings } from '@tabler/icons-react';
import type { Role } from '../../api/types';

export type PagePath =
  | '/'
  | '/trends'
  | '/executions'
  | '/plans'
  | '/schedules'
  | '/scripts'
  | '/templates'
  | '/git-sources'
  | '/notifications'
  | '/webhooks'
  | '/servers'
  | '/environments'
  | '/keys'
  | '/settings/tokens'
  | '/settings/sessions'
  | '/settings/members'
  | '/settings/service-accounts'
  | '/settings/trust-rules'
  | '/settings/retention'
  | '/audit';

export interface MenuPage {
  to: PagePath;
  label: string;
  /** Role that the page needs, if not every member may open it. */
  needs?: Role;
  /** Further words by which people search for the page. */
  keywords?: string;
  /** Whether the page takes the filter `environment` in its URL. */
  byEnvironment?: boolean;
}

export interface Area {
  label: string;
  icon: Icon;
  /** The first page that the member may open is the one the area links to. */
  pages: readonly MenuPage[];
}

export const AREAS: readonly Area[] = [
  { label: 'Overview', icon: IconCompass, pages: [{ to: '/', label: 'Overview', keywords: 'home dashboard' }] },
  {
    label: 'Runs',
    icon: IconHistory,
    pages: [
      { to: '/executions', label: 'All runs', keywords: 'executions jobs history', byEnvironment: true },
      { to: '/trends', label: 'Trends', keywords: 'statistics charts success duration', byEnvironment: true },
    ],
  },
  {
    label: 'Plans',
    icon: IconListCheck,
    pages: [
      { to: '/plans', label: 'All plans', keywords: 'workflows playbooks', byEnvironment: true },
      { to: '/schedules', label: 'Schedules', keywords: 'cron timer calendar', byEnvironment: true },
      { to: '/scripts', label: 'Scripts' },
      { to: '/templates', label: 'Templates', keywords: 'files' },
      { to: '/git-sources', label: 'Git sources', keywords: 'repositories sync' },
    ],
  },
  {
    label: 'Fleet',
    icon: IconServer2,
    pages: [
      { to: '/servers', label: 'Servers', keywords: 'hosts inventory machines', byEnvironment: true },
      { to: '/environments', label: 'Environments', keywords: 'variables grants protection windows' },
      { to: '/keys', label: 'SSH keys', keywords: 'rotation credentials' },
    ],
  },
  {
    label: 'Settings',
    icon: IconSettings,
    pages: [
      { to: '/settings/members', label: 'Members', keywords: 'users people roles', needs: 'admin' },
      { to: '/settings/service-accounts', label: 'Service accounts', keywords: 'machines', needs: 'admin' },
      { to: '/settings/trust-rules', label: 'Trust rules', keywords: 'oidc pipelines', needs: 'admin' },
      { to: '/notifications', label: 'Notifications', keywords: 'mail slack teams alerts' },
      { to: '/webhooks', label: 'Webhooks', keywords: 'events integrations' },
      { to: '/settings/retention', label: 'Retention', keywords: 'storage cleanup', needs: 'admin' },
      { to: '/audit', label: 'Audit trail', keywords: 'history changes who', needs: 'admin' },
    ],
  },
];

/** Pages of the user menu. */
export const ACCOUNT_PAGES: readonly MenuPage[] = [
  { to: '/settings/tokens', label: 'API tokens', keywords: 'account ci' },
  { to: '/settings/sessions', label: 'Sessions and password', keywords: 'account' },
];

export const pagesOf = (area: Area, can: (role: Role) => boolean): MenuPage[] =>
  area.pages.filter(({ needs }) => needs === undefined || can(needs));

/** Returns whether the path is the page or a record of it. */
export const isWithin = (path: string, { to }: MenuPage): boolean =>
  path === to || (to !== '/' && path.startsWith(`${to}/`));
