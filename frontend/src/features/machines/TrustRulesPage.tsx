import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  IconCircleCheck,
  IconId,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconRobot,
  IconTestPipe,
} from '@tabler/icons-react';
import { useState } from 'react';
import {
  trustRuleQuery,
  trustRulesQuery,
  useDeleteTrustRule,
  useUpdateTrustRule,
} from '../../api/queries/access/trust-rules';
import type { TrustRule } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { ConfirmDialog } from '../../ui/forms/ConfirmDialog';
import { SearchField } from '../../ui/forms/SearchField';
import { AdminOnly } from '../../ui/page/AdminOnly';
import { PageHeader } from '../../ui/page/PageHeader';
import { RunsCancelled } from '../../ui/runs/RunsCancelled';
import { scopeSummary } from '../../ui/scopes/scope-words';
import { useScopeNames } from '../../ui/scopes/useScopeNames';
import { Badge } from '../../ui/status/Badge';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { listState } from '../../ui/tables/list-state';
import { RowActions } from '../../ui/tables/RowActions';
import { TrustRuleDialog } from './TrustRuleDialog';
import { TryTokenDialog } from './TryTokenDialog';

const route = getRouteApi('/app/settings/trust-rules');

export function TrustRulesPage() {
  return (
    <AdminOnly title="Trust rules">
      <TrustRules />
    </AdminOnly>
  );
}

type RuleConfirmation = { rule: TrustRule; what: 'delete' | 'disable' | 'enable' };

function TrustRules() {
  const { q, open } = route.useSearch();
  const navigate = useNavigate({ from: '/settings/trust-rules' });
  const rules = listState(useInfiniteQuery(trustRulesQuery(q)));
  const { environments, plans } = useScopeNames();
  const [editedId, setEditedId] = useState<string | null>(null);
  const [confirmation, setConfirmation] = useState<RuleConfirmation | null>(null);
  const edited = rules.rows?.find(({ id }) => id === editedId);
  const show = (what: 'new' | 'try' | undefined) =>
    void navigate({ search: (before) => ({ ...before, open: what }), replace: true });
  const add = (
    <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={() => show('new')}>
      New trust rule
    </Button>
  );
  const columns: Column<TrustRule>[] = [
    {
      key: 'name',
      title: 'Name',
      width: '36%',
      render: ({ name, issuer, subject }) => (
        <Stack gap={0}>
          <Text fw={550}>{name}</Text>
          <Text size="xs" className="rw-mono rw-wrap-anywhere">
            {subject}
          </Text>
          <Text size="xs" c="dimmed" className="rw-wrap-anywhere">
            {issuer}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'user',
      title: 'Acts as',
      from: 'xs',
      render: (rule) => (
        <Stack gap={0}>
          <Group gap={4} wrap="nowrap">
            {rule.user.kind === 'service_account' && <IconRobot size={15} aria-label="Service account" />}
            <Text>{rule.user.name}</Text>
          </Group>
          <Text size="xs" c="dimmed">
            {scopeSummary(
              {
                access: rule.access,
                ...(rule.environmentIds ? { environmentIds: rule.environmentIds } : {}),
                ...(rule.planIds ? { planIds: rule.planIds } : {}),
              },
              environments.names,
              plans.names,
            )}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'used',
      title: 'Last used',
      from: 'sm',
      width: 130,
      render: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} never="Never" />,
    },
    {
      key: 'state',
      title: 'Status',
      width: 120,
      render: ({ enabled }) =>
        enabled ? (
          <Badge tone="good" icon={IconCircleCheck}>
            Enabled
          </Badge>
        ) : (
          <Badge tone="muted" icon={IconPlayerPause}>
            Disabled
          </Badge>
        ),
    },
    {
      key: 'actions',
      title: '',
      width: 60,
      align: 'right',
      render: (rule) => (
        <RowActions
          role="admin"
          label={`Actions for ${rule.name}`}
          onEdit={() => setEditedId(rule.id)}
          onDelete={() => setConfirmation({ rule, what: 'delete' })}
        >
          {rule.enabled ? (
            <Menu.Item
              leftSection={<IconPlayerPause size={15} aria-hidden />}
              onClick={() => setConfirmation({ rule, what: 'disable' })}
            >
              Disable
            </Menu.Item>
          ) : (
            <Menu.Item
              leftSection={<IconPlayerPlay size={15} aria-hidden />}
              onClick={() => setConfirmation({ rule, what: 'enable' })}
            >
              Enable
            </Menu.Item>
          )}
        </RowActions>
      ),
    },
  ];
  return (
    <>
      <PageHeader
        title="Trust rules"
        description="Jobs of GitHub Actions, GitLab and others exchange an identity token for a short-lived Runward token. They store no secret."
        actions={
          <>
            <Button variant="default" leftSection={<IconTestPipe size={15} aria-hidden />} onClick={() => show('try')}>
              Test token
            </Button>
            {add}
          </>
        }
      />
      <Group mb="md">
        <SearchField
          label="Search trust rules"
          value={q ?? ''}
          onChange={(value) =>
            void navigate({ search: (before) => ({ ...before, q: value || undefined }), replace: true })
          }
        />
      </Group>
      <DataTable
        label="Trust rules"
        list={rules}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          q ? (
            <EmptyState icon={IconId} title="No trust rules match this search">
              Search for part of a name.
            </EmptyState>
          ) : (
            <EmptyState icon={IconId} title="No trust rules yet" action={add}>
              A trust rule defines which jobs can get a token, the member they act as, and the scope.
            </EmptyState>
          )
        }
      />
      {open === 'new' && <TrustRuleDialog rule={null} onClose={() => show(undefined)} />}
      {open === 'try' && <TryTokenDialog rules={rules.rows ?? []} onClose={() => show(undefined)} />}
      {edited && <TrustRuleDialog rule={edited} onClose={() => setEditedId(null)} />}
      {confirmation && <RuleConfirm {...confirmation} onClose={() => setConfirmation(null)} />}
    </>
  );
}

const TEXTS: Record<RuleConfirmation['what'], { verb: string; confirm: string; body: string }> = {
  delete: {
    verb: 'Delete',
    confirm: 'Delete trust rule',
    body: 'Its tokens end at once, and jobs get no new ones. Runs that have begun continue.',
  },
  disable: {
    verb: 'Disable',
    confirm: 'Disable',
    body: 'Its tokens end at once, and jobs get no new ones until you enable it again. Runs that have begun continue.',
  },
  enable: { verb: 'Enable', confirm: 'Enable', body: 'Jobs that match it get tokens again.' },
};

function RuleConfirm({ rule, what, onClose }: RuleConfirmation & { onClose: () => void }) {
  const update = useUpdateTrustRule();
  const remove = useDeleteTrustRule();
  const { verb, confirm, body } = TEXTS[what];
  const counted = useQuery({ ...trustRuleQuery(rule.id), enabled: what !== 'enable' });
  const mutation = what === 'delete' ? remove : update;
  return (
    <ConfirmDialog
      opened
      title={`${verb} ${rule.name}?`}
      confirm={confirm}
      cancel={what === 'enable' ? 'Close' : 'Keep'}
      color={what === 'enable' ? undefined : 'red'}
      pending={mutation.isPending}
      error={mutation.error}
      onConfirm={() =>
        what === 'delete'
          ? remove.mutate(rule, { onSuccess: onClose })
          : update.mutate({ rule, body: { enabled: what === 'enable' } }, { onSuccess: onClose })
      }
      onClose={onClose}
    >
      {body}
      {what !== 'enable' && <RunsCancelled of={counted} />}
    </ConfirmDialog>
  );
}
