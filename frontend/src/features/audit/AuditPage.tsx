import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconShieldSearch } from '@tabler/icons-react';
import { AdminOnly } from '../../ui/page/AdminOnly';
import { type AuditFilters, auditQuery } from '../../api/queries/access/audit';
import type { AuditLog } from '../../api/types';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { listState } from '../../ui/tables/list-state';
import { AnchorLink, ButtonLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { Actor } from './Actor';
import { AuditEntry } from './AuditEntry';
import { AuditFilterBar } from './AuditFilterBar';
import { AuditProof } from './AuditProof';
import { ExportButton } from './ExportButton';

const route = getRouteApi('/app/audit');

export function AuditPage() {
  return (
    <AdminOnly title="Audit trail">
      <AuditTrail />
    </AdminOnly>
  );
}

function AuditTrail() {
  const { actor, action, type, resource, from, to, entry, at } = route.useSearch();
  const navigate = useNavigate({ from: '/audit' });
  const filters: AuditFilters = { actorId: actor, action, resourceType: type, resourceId: resource, from, to };
  const entries = listState(useInfiniteQuery(auditQuery(filters)));
  return (
    <>
      <PageHeader
        title="Audit trail"
        description="Every change, start, refusal and sign-in, newest first. The hash chain reveals changed or deleted entries."
        actions={<ExportButton filters={filters} />}
      />
      <Stack gap="md">
        <AuditProof />
        <AuditFilterBar />
        <DataTable
          label="Audit entries"
          list={entries}
          columns={columns}
          rowKey={({ id }) => id}
          empty={
            <EmptyState
              icon={IconShieldSearch}
              title="No entries match these filters"
              action={
                <ButtonLink to="/audit" variant="default">
                  Clear filters
                </ButtonLink>
              }
            >
              Change or clear the filters.
            </EmptyState>
          }
        />
      </Stack>
      {entry && at && (
        <AuditEntry
          id={entry}
          at={at}
          onClose={() => void navigate({ search: ({ entry: _, at: __, ...rest }) => rest, replace: true })}
        />
      )}
    </>
  );
}

const columns: Column<AuditLog>[] = [
  { key: 'when', title: 'Time', width: 110, render: ({ at }) => <RelativeTime at={at} /> },
  {
    key: 'what',
    title: 'Action',
    render: ({ id, at, sequence, action, resourceName, actor }) => (
      <Stack gap={0}>
        <AnchorLink
          to="/audit"
          search={(before) => ({ ...before, entry: id, at })}
          replace
          className="rw-mono"
          fw={600}
          aria-label={`Entry ${sequence}: ${action} ${resourceName ?? ''}`}
        >
          {action}
        </AnchorLink>
        <Text size="xs" hiddenFrom="sm" className="rw-wrap-anywhere">
          {resourceName}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {actor.name ?? actor.kind}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'resource',
    title: 'Record',
    from: 'sm',
    render: ({ resourceType, resourceName, resourceId }) => (
      <Stack gap={0}>
        <Text className="rw-wrap-anywhere">{resourceName ?? resourceId ?? '–'}</Text>
        <Text size="xs" c="dimmed">
          {resourceType}
        </Text>
      </Stack>
    ),
  },
  { key: 'who', title: 'Actor', from: 'sm', render: ({ actor }) => <Actor actor={actor} /> },
  {
    key: 'from',
    title: 'Address',
    from: 'lg',
    width: 150,
    render: ({ actor }) => <span className="rw-mono">{actor.address ?? '–'}</span>,
  },
  {
    key: 'sequence',
    title: 'Entry',
    from: 'md',
    width: 80,
    align: 'right',
    render: ({ sequence }) => sequence.toLocaleString('en'),
  },
];
