import { Alert, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconInfoCircle } from '@tabler/icons-react';
import { useAccess } from '../../access/useAccess';
import { grantsQuery, useSetGrant } from '../../api/queries/inventory/environment-grants';
import { membersQuery } from '../../api/queries/access/members';
import type { Environment, Member } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { listState } from '../../ui/tables/list-state';
import { RowsSkeleton } from '../../ui/feedback/Skeletons';
import { SearchField } from '../../ui/forms/SearchField';
import { AccessField } from './AccessField';
import { GrantTable } from './GrantTable';

const route = getRouteApi('/app/environments/$id');

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
      <GrantTable environment={environment} members={members} grants={grants.data} set={set} />
    </Stack>
  );
}

const nameOf = (rows: Member[] | undefined, id: string | undefined) =>
  rows?.find((member) => member.id === id)?.name ?? 'the member';
