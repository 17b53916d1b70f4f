import { Avatar, Button, Menu, Text, useMantineColorScheme } from '@mantine/core';
import { IconBook2, IconDeviceDesktop, IconKeyboard, IconLogout, IconTerminal2 } from '@tabler/icons-react';
import { ROLE_NAMES } from '../../access/roles';
import { useLogout } from '../../api/queries/access/session';
import type { Me } from '../../api/types';
import { RestartTour } from '../../features/tour/RestartTour';
import { MenuItemLink } from '../../ui/page/links';
import { useAlerts } from './alerts/useAlerts';
import { type Density, useDensity } from './useDensity';

const THEMES = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
];

const DENSITIES: { value: Density; label: string }[] = [
  { value: 'comfortable', label: 'Comfortable' },
  { value: 'compact', label: 'Compact' },
];

interface Props {
  me: Me;
  onShowShortcuts: () => void;
}

export function UserMenu({ me, onShowShortcuts }: Props) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [density, setDensity] = useDensity(me.id);
  useAlerts(me.id);
  const logout = useLogout();
  const initials = (me.name || me.email).slice(0, 2).toUpperCase();
  return (
    <Menu position="bottom-end" width={250}>
      <Menu.Target>
        <Button variant="subtle" color="gray" px={6} aria-label={`${initials}, account of ${me.name || me.email}`}>
          <Avatar size={26} color="iris" radius="xl" aria-hidden>
            {initials}
          </Avatar>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text fw={600} c="var(--mantine-color-text)" truncate>
            {me.name || me.email}
          </Text>
          <Text size="xs" truncate>
            {me.email}
          </Text>
          <Text size="xs">
            {ROLE_NAMES[me.role]} in {me.tenant.name}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Label>Theme</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as typeof colorScheme)}>
          {THEMES.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value} closeMenuOnClick={false}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>Tables</Menu.Label>
        <Menu.RadioGroup value={density} onChange={(value) => setDensity(value as Density)}>
          {DENSITIES.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value} closeMenuOnClick={false}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <MenuItemLink to="/settings/tokens" leftSection={<IconTerminal2 size={16} aria-hidden />}>
          API tokens
        </MenuItemLink>
        <MenuItemLink to="/settings/sessions" leftSection={<IconDeviceDesktop size={16} aria-hidden />}>
          Sessions and password
        </MenuItemLink>
        <Menu.Item leftSection={<IconKeyboard size={16} aria-hidden />} onClick={onShowShortcuts}>
          Keyboard shortcuts
        </Menu.Item>
        {me.demo && <RestartTour />}
        <Menu.Item
          component="a"
          href="/api/docs"
          target="_blank"
          rel="noreferrer"
          leftSection={<IconBook2 size={16} aria-hidden />}
        >
          API reference
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={() => logout.mutate()}
          disabled={logout.isPending}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
