import { Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconShieldSearch } from '@tabler/icons-react';
import { AdminOnly } from '../../ui/page/AdminOnly';
import { type AuditFilters, auditQuery } from '../../api/queries/access/audit';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { listState } from '../../ui/tables/list-state';
import { ButtonLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { AuditEntry } from './AuditEntry';
import { AuditFilterBar } from './AuditFilterBar';
import { AuditProof } from './AuditProof';
import { AuditTimeline } from './AuditTimeline';
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
        <AuditTimeline
          list={entries}
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
