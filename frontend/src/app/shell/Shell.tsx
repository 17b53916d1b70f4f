import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Outlet, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { meQuery, sessionEndedQuery } from '../../api/queries/access/session';
import { InstallationBanner } from '../../ui/feedback/InstallationBanner';
import { PlainLink } from '../../ui/page/links';
import { Logo } from '../../ui/page/Logo';
import { Navigation } from './Navigation';
import { SignInAgain } from './SignInAgain';
import classes from './shell.module.css';
import { UserMenu } from './UserMenu';
import { useSignedOut } from './useSignedOut';

const route = getRouteApi('/app');
const StartDialog = lazy(() =>
  import('../../features/executions/start/StartDialog').then((module) => ({ default: module.StartDialog })),
);

export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const { data: me } = useQuery(meQuery);
  const { start, again, exact } = route.useSearch();
  const navigate = useNavigate();
  const { data: ended } = useQuery(sessionEndedQuery);
  useSignedOut(me === null);
  if (me === null) return null;
  const closeStart = () =>
    void navigate({ to: '.', search: ({ start: _, again: __, exact: ___, ...rest }) => rest, replace: true });
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className="rw-skip" href="#main">
        Skip to content
      </a>
      <AppShell.Header className={classes.header}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close menu' : 'Open menu'}
            />
            <PlainLink to="/" aria-label="Runward, dashboard" className={classes.brand}>
              <Logo size={24} />
              <Text span fw={680} size="md" visibleFrom="xs">
                Runward
              </Text>
            </PlainLink>
            {me && (
              <Text span c="dimmed" className={classes.tenant} title={`Tenant ${me.tenant.name}`}>
                {me.tenant.name}
              </Text>
            )}
          </Group>
          {me && <UserMenu me={me} />}
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} aria-label="Main">
        <Navigation onNavigate={close} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <InstallationBanner />
        <Outlet />
      </AppShell.Main>
      {start && (
        <Suspense>
          <StartDialog
            key={`${start} ${again ?? ''} ${exact ?? ''}`}
            planId={start}
            again={again ?? null}
            exact={exact !== undefined}
            onClose={closeStart}
          />
        </Suspense>
      )}
      {me && ended && <SignInAgain me={me} />}
    </AppShell>
  );
}
