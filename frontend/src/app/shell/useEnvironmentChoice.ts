import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { meQuery } from '../../api/queries/access/session';
import { environmentChoicesQuery } from '../../api/queries/inventory/environments';
import { AREAS, type MenuPage } from './areas';

const LISTS = AREAS.flatMap(({ pages }) => pages).filter(({ byEnvironment }) => byEnvironment);

interface EnvironmentChoice {
  /** ID of the environment that lists are limited to; null = all. */
  chosen: string | null;
  choose: (id: string | null) => void;
  /** Search parameters for a link to a page of the menu. */
  searchFor: (page: MenuPage) => { environment?: string };
}

/**
 * The environment whose runs, plans, schedules and servers the menu opens. An open list shows the environment in its
 * URL; other pages use the last choice of the member in this browser.
 */
export function useEnvironmentChoice(): EnvironmentChoice {
  const { data: me } = useQuery(meQuery);
  const [remembered, remember] = useLocalStorage<string | null>({
    key: `runward-environment:${me?.tenant.id ?? ''}:${me?.id ?? ''}`,
    defaultValue: null,
  });
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const list = LISTS.find(({ to }) => to === pathname);
  const { environment } = search as { environment?: string };
  const { data: choices } = useQuery(environmentChoicesQuery);
  // It may have been deleted, or the member has lost the grant. Lists would refuse it.
  const isGone = choices?.nextCursor === null && choices.items.every(({ id }) => id !== remembered);
  const chosen = list ? (environment ?? null) : isGone ? null : remembered;
  return {
    chosen,
    choose(id) {
      remember(id);
      if (list)
        void navigate({ to: '.', search: (before: object) => ({ ...before, environment: id ?? undefined }) } as never);
    },
    searchFor: ({ byEnvironment }) => (byEnvironment && chosen ? { environment: chosen } : {}),
  };
}
