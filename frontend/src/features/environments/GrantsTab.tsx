import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconInfoCircle, IconUsers } from '@tabler/icons-react';
import { describeAccess } from '../../access/environment-access';
import { ROLE_NAMES } from '../../access/roles';
import { useAccess } from '../../access/useAccess';
import { grantsQuery, useSetGrant } from '../../api/queries/inventory/environment-grants';
import { membersQuery } from '../../api/queries/access/members';
import type { Environment, Grant, GrantLevel, Member } from '../../api/types';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { listState } from '../../ui/tables/list-state';
import { RowsSkeleton } from '../../ui/feedback/Skeletons';
import { SearchField } from '../../ui/forms/SearchField';
import { AccessField } from './AccessField';
import { optionsOf } from '../../ui/forms/options';
import { LEVEL_NAMES } from './environment-labels';

const route = getRouteApi('/app/environments/$id');
const GRANT_LEVEL_CHOICES = [{ value: 'none', label: 'None' }, ...optionsOf(LEVEL_NAMES)];

/** Only people can approve. */
const MACHINE_LEVEL_CHOICES = GRANT_LEVEL_CHOICES.map((level) => ({ ...level, disabled: level.value === 'approve' }));

/** Shows admins all grants, and other members their own. */
export function GrantsTab({ environment }: { environment: Environment }) {
  const { can } = useAccess();
  if (can('admin')) return <GrantsMatrix environment={environment} />;
  const own = environment.currentUserGrant;
  return (
    <Alert icon={<IconInfoCircle aria-hidden />} color="gray">
      {own
        ? `Your grant here is “${own}”.`
        : 'You have no grant here. The environment is open, so you can view it without one.'}{' '}
      Viewing and changing grants of other members needs the Admin role.
    </Alert>
  );
}

function GrantsMatrix({ environment }: { environment: Environment }) {
  const { q } = route.useSearch();
  const navigate = useNavigate({ from: '/environments/$id' });
  const members = listState(useInfiniteQuery(membersQuery(q)));
  const grants = useQuery(grantsQuery(environment.id));
  const set = useSetGrant(environment.id);
  if (grants.error && !grants.data) return <ErrorPanel error={grants.error} onRetry={() => void grants.refetch()} />;
  if (!grants.data) return <RowsSkeleton />;
  const grantOf = (member: Member): Grant | null => grants.data.get(member.id) ?? null;
  const pendingUserId = set.isPending ? set.variables.userId : null;
  const choose = (member: Member, level: string) =>
    set.mutate({
      userId: member.id,
      current: grantOf(member),
      level: level === 'none' ? null : (level as GrantLevel),
    });
  const meaning = (member: Member) =>
    pendingUserId === member.id
      ? 'Saving…'
      : member.disabled
        ? 'No access while disabled'
        : describeAccess({
            role: member.role,
            access: environment.access,
            grant: grantOf(member)?.level ?? null,
            machine: member.kind === 'service_account',
          });
  const columns: Column<Member>[] = [
    {
      key: 'member',
      title: 'Member',
      render: ({ name, email, kind, role, disabled }) => (
        <Stack gap={0}>
          <Text fw={550}>{name}</Text>
          <Text size="xs" c="dimmed" className="rw-wrap-anywhere">
            {kind === 'person' ? email : 'Service account'}
          </Text>
          <Text size="xs" c="dimmed">
            {ROLE_NAMES[role]}
            {disabled && ', disabled'}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'grant',
      title: 'Grant',
      width: 260,
      render: (member) => (
        <Stack gap={4}>
          <SegmentedControl
            aria-label={`Grant of ${member.name}`}
            data={member.kind === 'person' ? GRANT_LEVEL_CHOICES : MACHINE_LEVEL_CHOICES}
            value={grantOf(member)?.level ?? 'none'}
            disabled={pendingUserId !== null}
            onChange={(level) => choose(member, level)}
          />
          <Text size="xs" c="dimmed" component="div" hiddenFrom="sm">
            {meaning(member)}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'result',
      title: 'Access',
      from: 'sm',
      render: meaning,
    },
  ];
  return (
    <Stack gap="md">
      <AccessField key={environment.version} environment={environment} />
      <Group justify="space-between">
        <SearchField
          label="Search members"
          value={q ?? ''}
          onChange={(value) =>
            void navigate({ search: (before) => ({ ...before, q: value || undefined }), replace: true })
          }
        />
        <Text size="xs" c="dimmed">
          Run includes view; approve includes run. In an open environment, only approve has an effect. Service accounts
          cannot approve.
        </Text>
      </Group>
      {set.error && (
        <ErrorPanel
          error={set.error}
          title={`The grant of ${nameOf(members.rows, set.variables?.userId)} was not changed`}
        />
      )}
      <DataTable
        label="Grants"
        list={members}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconUsers} title="No members match this search" action={<ClearSearchButton />}>
            Search for part of a name or e-mail address.
          </EmptyState>
        }
      />
    </Stack>
  );
}

function ClearSearchButton() {
  const navigate = useNavigate({ from: '/environments/$id' });
  return (
    <Button
      variant="default"
      onClick={() => void navigate({ search: (before) => ({ ...before, q: undefined }), replace: true })}
    >
      Show all members
    </Button>
  );
}

const nameOf = (rows: Member[] | undefined, id: string | undefined) =>
  rows?.find((member) => member.id === id)?.name ?? 'the member';
