import { Stack } from '@mantine/core';
import {
  type Icon,
  IconBell,
  IconBook2,
  IconCalendarTime,
  IconCompass,
  IconDatabase,
  IconDeviceDesktop,
  IconFileCode,
  IconGitBranch,
  IconHistory,
  IconId,
  IconKey,
  IconListCheck,
  IconRobot,
  IconServer2,
  IconStack2,
  IconShieldSearch,
  IconTemplate,
  IconTerminal2,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import { Badge, NavLink } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useAccess } from '../../access/useAccess';
import { awaitingChangesQuery } from '../../api/queries/inventory/protection-changes';
import { awaitingMeQuery } from '../../api/queries/runs/executions';
import { plural } from '../../ui/format/format';
import { NavItemLink } from '../../ui/page/links';
import classes from './shell.module.css';

interface Item {
  to:
    | '/'
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
  label: string;
  icon: Icon;
}

interface Group {
  title: string | null;
  items: Item[];
  adminsOnly?: boolean;
}

const GROUPS: Group[] = [
  {
    title: null,
    items: [
      { to: '/', label: 'Dashboard', icon: IconCompass },
      { to: '/executions', label: 'Runs', icon: IconHistory },
      { to: '/plans', label: 'Plans', icon: IconListCheck },
      { to: '/schedules', label: 'Schedules', icon: IconCalendarTime },
      { to: '/scripts', label: 'Scripts', icon: IconFileCode },
      { to: '/templates', label: 'Templates', icon: IconTemplate },
      { to: '/git-sources', label: 'Git sources', icon: IconGitBranch },
      { to: '/notifications', label: 'Notifications', icon: IconBell },
      { to: '/webhooks', label: 'Webhooks', icon: IconWebhook },
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
  {
    title: 'Your account',
    items: [
      { to: '/settings/tokens', label: 'API tokens', icon: IconTerminal2 },
      { to: '/settings/sessions', label: 'Sessions and password', icon: IconDeviceDesktop },
    ],
  },
  {
    title: 'Administration',
    adminsOnly: true,
    items: [
      { to: '/settings/members', label: 'Members', icon: IconUsers },
      { to: '/settings/service-accounts', label: 'Service accounts', icon: IconRobot },
      { to: '/settings/trust-rules', label: 'Trust rules', icon: IconId },
      { to: '/settings/retention', label: 'Retention', icon: IconDatabase },
      { to: '/audit', label: 'Audit trail', icon: IconShieldSearch },
    ],
  },
];

const REFRESH_MS = 15_000;

export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const { can } = useAccess();
  const waiting = useQuery({ ...awaitingMeQuery, refetchInterval: REFRESH_MS });
  const changes = useQuery({ ...awaitingChangesQuery, refetchInterval: REFRESH_MS * 2 });
  const runCount = waiting.data?.items.length ?? 0;
  const changeCount = changes.data?.items.length ?? 0;
  const count = runCount + changeCount;
  const countLabel = `${count}${waiting.data?.nextCursor ? '+' : ''}`;
  const groups = GROUPS.filter(({ adminsOnly }) => !adminsOnly || can('admin'));
  return (
    <Stack gap={1}>
      {groups.map(({ title, items }) => (
        <Stack gap={1} key={title ?? 'work'}>
          {title && <div className={classes.group}>{title}</div>}
          {items.map(({ to, label, icon: Glyph }) => (
            <NavItemLink
              key={to}
              to={to}
              label={label}
              className={classes.item}
              leftSection={<Glyph size={17} stroke={1.8} aria-hidden />}
              {...(to === '/' && count > 0
                ? {
                    rightSection: <Badge aria-hidden>{countLabel}</Badge>,
                    'aria-description': waitingText(runCount, changeCount),
                  }
                : {})}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              onClick={onNavigate}
            />
          ))}
        </Stack>
      ))}
      <div className={classes.group}>Help</div>
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

/** Such as `2 runs and 1 protection change are waiting for you`. */
const waitingText = (runs: number, changes: number): string => {
  const parts = [
    ...(runs > 0 ? [plural(runs, 'run')] : []),
    ...(changes > 0 ? [plural(changes, 'protection change')] : []),
  ];
  return `${parts.join(' and ')} ${runs + changes === 1 ? 'is' : 'are'} waiting for you`;
};
