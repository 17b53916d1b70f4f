import { Stack } from '@mantine/core';
import {
  type Icon,
  IconBook2,
  IconCompass,
  IconHistory,
  IconKey,
  IconListCheck,
  IconServer2,
  IconStack2,
  IconTerminal2,
} from '@tabler/icons-react';
import { NavLink } from '@mantine/core';
import { NavItemLink } from '../ui/links';
import classes from './shell.module.css';

interface Item {
  to: '/' | '/executions' | '/plans' | '/servers' | '/environments' | '/keys' | '/settings/tokens';
  label: string;
  icon: Icon;
}

const GROUPS: { title: string | null; items: Item[] }[] = [
  {
    title: null,
    items: [
      { to: '/', label: 'Dashboard', icon: IconCompass },
      { to: '/executions', label: 'Runs', icon: IconHistory },
      { to: '/plans', label: 'Plans', icon: IconListCheck },
    ],
  },
  {
    title: 'Inventory',
    items: [
      { to: '/servers', label: 'Servers', icon: IconServer2 },
      { to: '/environments', label: 'Environments', icon: IconStack2 },
      { to: '/keys', label: 'SSH keys', icon: IconKey },
    ],
  },
  { title: 'Automation', items: [{ to: '/settings/tokens', label: 'API tokens', icon: IconTerminal2 }] },
];

export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  return (
    <Stack gap={1}>
      {GROUPS.map(({ title, items }) => (
        <Stack gap={1} key={title ?? 'work'}>
          {title && <div className={classes.group}>{title}</div>}
          {items.map(({ to, label, icon: Glyph }) => (
            <NavItemLink
              key={to}
              to={to}
              label={label}
              className={classes.item}
              leftSection={<Glyph size={17} stroke={1.8} aria-hidden />}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              onClick={onNavigate}
            />
          ))}
        </Stack>
      ))}
      <NavLink
        href="/api/docs"
        target="_blank"
        rel="noreferrer"
        label="API reference"
        className={classes.item}
        leftSection={<IconBook2 size={17} stroke={1.8} aria-hidden />}
      />
    </Stack>
  );
}
