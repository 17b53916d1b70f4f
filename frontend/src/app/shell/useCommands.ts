import { useMantineColorScheme } from '@mantine/core';
import {
  type Icon,
  IconBook2,
  IconFileImport,
  IconHistory,
  IconKeyboard,
  IconListCheck,
  IconLogout,
  IconMoon,
  IconPlayerPlay,
  IconPlus,
  IconServer2,
  IconStack2,
  IconStar,
  IconSun,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useAccess } from '../../access/useAccess';
import { bookmarksQuery } from '../../api/queries/access/bookmarks';
import { useLogout } from '../../api/queries/access/session';
import { environmentChoicesQuery } from '../../api/queries/inventory/environments';
import type { FoundRecords } from '../../api/queries/search';
import type { Role } from '../../api/types';
import { relativeTime } from '../../ui/format/format';
import { useNow } from '../../ui/format/useNow';
import { useRecentPages } from '../../ui/page/recent-pages';
import { statusStyle } from '../../ui/status/statuses';
import { ACCOUNT_PAGES, AREAS, pagesOf } from './areas';
import { matchesWords, type PaletteQuery } from './palette-query';
import { useEnvironmentChoice } from './useEnvironmentChoice';

export interface Command {
  id: string;
  label: string;
  description?: string;
  icon: Icon;
  run: () => void;
}

export interface CommandGroup {
  label: string;
  items: Command[];
}

interface Action extends Command {
  needs?: Role;
  keywords: string;
}

/** Pages, actions and bookmarks that match the text. Without text: recent pages, favourites and all pages. */
export function useCommands(text: string, onShowShortcuts: () => void): CommandGroup[] {
  const { can } = useAccess();
  const { history } = useRouter();
  const navigate = useNavigate();
  const { searchFor } = useEnvironmentChoice();
  const { data: bookmarks } = useQuery(bookmarksQuery);
  const [recent] = useRecentPages();
  const actions = useActions(onShowShortcuts);
  const isEmpty = text.trim() === '';
  const pages = [
    ...AREAS.flatMap((area) => pagesOf(area, can).map((page) => ({ page, icon: area.icon }))),
    ...ACCOUNT_PAGES.map((page) => ({ page, icon: IconStar })),
  ];
  return [
    {
      label: 'Recent',
      items: (isEmpty ? recent : []).map(({ path, title }) => ({
        ...{ id: `recent ${path}`, label: title, icon: IconHistory, run: () => history.push(path) },
      })),
    },
    {
      label: 'Favourites and saved filters',
      items: (bookmarks?.items ?? [])
        .filter(({ name }) => matchesWords(text, name))
        .slice(0, isEmpty ? 10 : 5)
        .map(({ id, name, path }) => ({ id, label: name, icon: IconStar, run: () => history.push(path) })),
    },
    {
      label: 'Pages',
      items: pages
        .filter(({ page: { label, keywords = '' } }) => matchesWords(text, `${label} ${keywords}`))
        .map(({ page, icon }) => ({
          ...{ id: page.to, label: page.label, icon },
          run: () => void navigate({ to: page.to, search: searchFor(page) }),
        })),
    },
    {
      label: 'Actions',
      items: actions
        .filter(({ needs }) => needs === undefined || can(needs))
        .filter(({ label, keywords }) => !isEmpty && matchesWords(text, `${label} ${keywords}`)),
    },
  ];
}

function useActions(onShowShortcuts: () => void): Action[] {
  const navigate = useNavigate();
  const logout = useLogout();
  const { setColorScheme } = useMantineColorScheme();
  const create = { needs: 'operator', icon: IconPlus } as const;
  const open = { icon: IconBook2, run: () => void window.open('/api/docs', '_blank', 'noreferrer') };
  return [
    {
      ...create,
      id: 'new-plan',
      label: 'New plan',
      keywords: 'create add',
      run: () => void navigate({ to: '/plans/new' }),
    },
    {
      ...{ ...create, id: 'new-server', label: 'New server', keywords: 'create add host' },
      run: () => void navigate({ to: '/servers', search: { edit: 'new' } }),
    },
    {
      ...{ ...create, id: 'new-schedule', label: 'New schedule', keywords: 'create add' },
      run: () => void navigate({ to: '/schedules/new' }),
    },
    {
      ...{ ...create, icon: IconFileImport, id: 'import-servers', label: 'Import servers', keywords: 'upload csv' },
      run: () => void navigate({ to: '/servers/import' }),
    },
    {
      ...{ ...create, icon: IconFileImport, id: 'import-plans', label: 'Import plans', keywords: 'upload yaml' },
      run: () => void navigate({ to: '/plans/import' }),
    },
    {
      id: 'light',
      label: 'Use the light theme',
      keywords: 'colour',
      icon: IconSun,
      run: () => setColorScheme('light'),
    },
    { id: 'dark', label: 'Use the dark theme', keywords: 'colour', icon: IconMoon, run: () => setColorScheme('dark') },
    { id: 'shortcuts', label: 'Keyboard shortcuts', keywords: 'help keys', icon: IconKeyboard, run: onShowShortcuts },
    { ...open, id: 'docs', label: 'API reference', keywords: 'help documentation' },
    { id: 'sign-out', label: 'Sign out', keywords: 'log out leave', icon: IconLogout, run: () => logout.mutate() },
  ];
}

/** Commands for records that the server has found. */
export function useRecordCommands(query: PaletteQuery | null, found: FoundRecords | undefined): CommandGroup[] {
  const { can } = useAccess();
  const navigate = useNavigate();
  const now = useNow();
  const { data: environments } = useQuery(environmentChoicesQuery);
  if (query === null || !found) return [];
  const nameOf = (id: string | null) => environments?.items.find((each) => each.id === id)?.name ?? '';
  const inEnvironment = (id: string | null) => (nameOf(id) ? ` in ${nameOf(id)}` : '');
  const startable = can('operator') && query.runs ? found.plans : [];
  return [
    {
      label: 'Start',
      items: startable.map(({ id, name, environmentId }) => ({
        ...{
          id: `start ${id}`,
          label: `Run ${name}${inEnvironment(query.environmentId ?? environmentId)}`,
          icon: IconPlayerPlay,
        },
        run: () =>
          void navigate({
            to: '.',
            search: (before: object) => ({ ...before, start: id, into: query.environmentId }),
          } as never),
      })),
    },
    {
      label: 'Plans',
      items: found.plans.map(({ id, name, environmentId }) => ({
        ...{ id, label: name, description: nameOf(environmentId), icon: IconListCheck },
        run: () => void navigate({ to: '/plans/$id', params: { id } }),
      })),
    },
    {
      label: 'Servers',
      items: found.servers.map(({ id, name, environmentId }) => ({
        ...{ id, label: name, description: nameOf(environmentId), icon: IconServer2 },
        run: () => void navigate({ to: '/servers/$id', params: { id } }),
      })),
    },
    {
      label: 'Environments',
      items: found.environments.map(({ id, name }) => ({
        ...{ id, label: name, icon: IconStack2 },
        run: () => void navigate({ to: '/environments/$id', params: { id } }),
      })),
    },
    {
      label: 'Runs',
      items: found.runs.map(({ id, planName, environmentName, status, createdAt }) => ({
        ...{ id, label: `${planName} in ${environmentName}`, icon: IconHistory },
        description: `${id.slice(0, 8)} · ${statusStyle(status).label} · ${relativeTime(createdAt, now)}`,
        run: () => void navigate({ to: '/executions/$id', params: { id } }),
      })),
    },
  ];
}
