import { ActionIcon, AppShell, Burger, Group, Kbd, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Outlet, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { meQuery, sessionEndedQuery } from '../../api/queries/access/session';
import { ConnectionNotice } from '../../ui/feedback/ConnectionNotice';
import { InstallationBanner } from '../../ui/feedback/InstallationBanner';
import { PlainLink } from '../../ui/page/links';
import { Logo } from '../../ui/page/Logo';
import { EnvironmentSwitcher } from './EnvironmentSwitcher';
import { Navigation } from './Navigation';
import { SignInAgain } from './SignInAgain';
import classes from './shell.module.css';
import { UserMenu } from './UserMenu';
import { useSignedOut } from './useSignedOut';
import { WaitingLink } from './WaitingLink';

const route = getRouteApi('/app');
const StartDialog = lazy(() =>
  import('../../features/executions/start/StartDialog').then((module) => ({ default: module.StartDialog })),
);

const CommandPalette = lazy(() => import('./CommandPalette').then((module) => ({ default: module.CommandPalette })));
const TourCard = lazy(() => import('../../features/tour/TourCard').then((module) => ({ default: module.TourCard })));
const ShortcutsDialog = lazy(() => import('./ShortcutsDialog').then((module) => ({ default: module.ShortcutsDialog })));

type Help = 'palette' | 'shortcuts' | null;

export function Shell() {
  const [help, setHelp] = useState<Help>(null);
  const closeHelp = () => setHelp(null);
  // Also while a field has the focus, unlike `?`, which may be part of a text.
  useHotkeys([['mod+K', () => setHelp('palette')]], []);
  // Some keyboard layouts have the character without Shift.
  useHotkeys(['?', 'shift+?'].map((keys) => [keys, () => setHelp('shortcuts')]));
  const [opened, { toggle, close }] = useDisclosure();
  const { data: me } = useQuery(meQuery);
  const { start, again, into, exact } = route.useSearch();
  const navigate = useNavigate();
  const { data: ended } = useQuery(sessionEndedQuery);
  useSignedOut(me === null);
  if (me === null) return null;
  const closeStart = () =>
    void navigate({
      to: '.',
      search: ({ start: _, again: __, into: ___, exact: ____, ...rest }) => rest,
      replace: true,
    });
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
            <PlainLink to="/" aria-label="Runward, overview" className={classes.brand}>
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
          <UnstyledButton className={classes.search} visibleFrom="sm" onClick={() => setHelp('palette')}>
            <IconSearch size={15} aria-hidden />
            <span>Search, or run something</span>
            <Kbd size="xs" aria-hidden>
              Ctrl K
            </Kbd>
          </UnstyledButton>
          <Group gap="xs" wrap="nowrap">
            <ActionIcon
              variant="subtle"
              color="gray"
              hiddenFrom="sm"
              aria-label="Search, or run something"
              onClick={() => setHelp('palette')}
            >
              <IconSearch size={18} aria-hidden />
            </ActionIcon>
            <WaitingLink />
            {me && <UserMenu me={me} onShowShortcuts={() => setHelp('shortcuts')} />}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} aria-label="Main">
        <EnvironmentSwitcher />
        <Navigation onNavigate={close} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <InstallationBanner />
        <Outlet />
      </AppShell.Main>
      {start && (
        <Suspense>
          <StartDialog
            key={`${start} ${again ?? ''} ${into ?? ''} ${exact ?? ''}`}
            planId={start}
            again={again ?? null}
            into={into ?? null}
            exact={exact !== undefined}
            onClose={closeStart}
          />
        </Suspense>
      )}
      <Suspense>
        {help === 'palette' && <CommandPalette onClose={closeHelp} onShowShortcuts={() => setHelp('shortcuts')} />}
        {help === 'shortcuts' && <ShortcutsDialog onClose={closeHelp} />}
        {me?.demo && <TourCard />}
      </Suspense>
      {me && ended && <SignInAgain me={me} />}
      <ConnectionNotice />
    </AppShell>
  );
}
