import { createRoute } from '@tanstack/react-router';
import { given, type Search, text } from '../../ui/page/search';
import { lazyPage } from './lazy-page';
import { rootRoute } from './shell-route';

const login = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: (search: Search) => given({ redirect: text(search.redirect) }),
  component: lazyPage(() => import('../../features/session/LoginPage'), 'LoginPage'),
});

/** Has no search parameters: the secret of a one-time link is in the URL fragment. */
const setPassword = createRoute({
  getParentRoute: () => rootRoute,
  path: '/set-password',
  component: lazyPage(() => import('../../features/session/SetPasswordPage'), 'SetPasswordPage'),
});

/** Pages for signed-out visitors, outside the shell. */
export const sessionRoutes = [login, setPassword] as const;
