import { Group, Menu, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconPlayerPause, IconPlayerPlay, IconRobot } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { TrustRule } from '../../api/types';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { scopeSummary } from '../../ui/scopes/scope-words';
import { useScopeNames } from '../../ui/scopes/useScopeNames';
import { Badge } from '../../ui/status/Badge';
import { type Column, DataTable, type ListState } from '../../ui/tables/DataTable';
import { RowActions } from '../../ui/tables/RowActions';
import { claimLines } from './rule-form';
import type { TrustRuleChange } from './TrustRuleConfirm';

interface ActionProps {
  onEdit: (rule: TrustRule) => void;
  onChange: (change: TrustRuleChange) => void;
}

interface Props extends ActionProps {
  list: ListState<TrustRule>;
  empty: ReactNode;
}

export function TrustRulesTable({ list, empty, ...actions }: Props) {
  const columns: Column<TrustRule>[] = [
    { key: 'name', title: 'Name', width: '36%', render: (rule) => <RuleName rule={rule} /> },
    { key: 'user', title: 'Acts as', from: 'xs', render: (rule) => <RuleUser rule={rule} /> },
    {
      key: 'used',
      title: 'Last used',
      from: 'sm',
      width: 130,
      render: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} never="Never" />,
    },
    { key: 'state', title: 'Status', width: 120, render: (rule) => <RuleState rule={rule} /> },
    {
      key: 'actions',
      title: '',
      width: 60,
      align: 'right',
      render: (rule) => <RuleActions rule={rule} {...actions} />,
    },
  ];
  return <DataTable label="Trust rules" list={list} columns={columns} rowKey={({ id }) => id} empty={empty} />;
}

const RuleName = ({ rule: { name, issuer, subject, claims } }: { rule: TrustRule }) => (
  <Stack gap={0}>
    <Text fw={550}>{name}</Text>
    <Text size="xs" className="rw-mono rw-wrap-anywhere">
      {subject}
    </Text>
    {claimLines(claims).map((line) => (
      <Text key={line} size="xs" className="rw-mono rw-wrap-anywhere">
        {line}
      </Text>
    ))}
    <Text size="xs" c="dimmed" className="rw-wrap-anywhere">
      {issuer}
    </Text>
  </Stack>
);

function RuleUser({ rule: { user, access, environmentIds, planIds } }: { rule: TrustRule }) {
  const { environments, plans } = useScopeNames();
  const scope = { access, ...(environmentIds ? { environmentIds } : {}), ...(planIds ? { planIds } : {}) };
  return (
    <Stack gap={0}>
      <Group gap={4} wrap="nowrap">
        {user.kind === 'service_account' && <IconRobot size={15} aria-label="Service account" />}
        <Text>{user.name}</Text>
      </Group>
      <Text size="xs" c="dimmed">
        {scopeSummary(scope, environments.names, plans.names)}
      </Text>
    </Stack>
  );
}

const RuleState = ({ rule: { enabled } }: { rule: TrustRule }) =>
  enabled ? (
    <Badge tone="good" icon={IconCircleCheck}>
      Enabled
    </Badge>
  ) : (
    <Badge tone="muted" icon={IconPlayerPause}>
      Disabled
    </Badge>
  );

function RuleActions({ rule, onEdit, onChange }: ActionProps & { rule: TrustRule }) {
  return (
    <RowActions
      role="admin"
      label={`Actions for ${rule.name}`}
      onEdit={() => onEdit(rule)}
      onDelete={() => onChange({ rule, what: 'delete' })}
    >
      {rule.enabled ? (
        <Menu.Item
          leftSection={<IconPlayerPause size={15} aria-hidden />}
          onClick={() => onChange({ rule, what: 'disable' })}
        >
          Disable
        </Menu.Item>
      ) : (
        <Menu.Item
          leftSection={<IconPlayerPlay size={15} aria-hidden />}
          onClick={() => onChange({ rule, what: 'enable' })}
        >
          Enable
        </Menu.Item>
      )}
    </RowActions>
  );
}
