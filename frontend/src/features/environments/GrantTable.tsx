import { Button, SegmentedControl, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { IconUsers } from '@tabler/icons-react';
import { describeAccess } from '../../access/environment-access';
import { ROLE_NAMES } from '../../access/roles';
import type { useSetGrant } from '../../api/queries/inventory/environment-grants';
import type { Environment, Grant, GrantLevel, Member } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { optionsOf } from '../../ui/forms/options';
import { type Column, DataTable, type ListState } from '../../ui/tables/DataTable';
import { LEVEL_NAMES } from './environment-labels';

const GRANT_LEVEL_CHOICES = [{ value: 'none', label: 'None' }, ...optionsOf(LEVEL_NAMES)];

/** Only people can approve. */
const MACHINE_LEVEL_CHOICES = GRANT_LEVEL_CHOICES.map((level) => ({ ...level, disabled: level.value === 'approve' }));

interface Props {
  environment: Environment;
  members: ListState<Member>;
  /** Grants by member ID. */
  grants: ReadonlyMap<string, Grant>;
  set: ReturnType<typeof useSetGrant>;
}

export function GrantTable({ environment, members, grants, set }: Props) {
  const grantOf = (member: Member): Grant | null => grants.get(member.id) ?? null;
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
