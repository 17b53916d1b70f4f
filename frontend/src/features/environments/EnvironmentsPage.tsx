import { Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconPlus, IconStack2 } from '@tabler/icons-react';
import { useState } from 'react';
import { environmentsQuery, useDeleteEnvironment } from '../../api/queries/inventory/environments';
import type { Environment } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { DeleteDialog } from '../../ui/dialogs/DeleteDialog';
import { SearchField } from '../../ui/forms/SearchField';
import { ActionButton } from '../../ui/page/ActionButton';
import { PageHeader } from '../../ui/page/PageHeader';
import { listState } from '../../ui/tables/list-state';
import { EnvironmentDialog } from './EnvironmentDialog';
import { EnvironmentTable } from './EnvironmentTable';

const route = getRouteApi('/app/environments');

export function EnvironmentsPage() {
  const { q, open } = route.useSearch();
  const navigate = useNavigate({ from: '/environments' });
  const environments = useInfiniteQuery(environmentsQuery(q));
  const [editedEnvironment, setEditedEnvironment] = useState<Environment | null>(null);
  const showNew = (isOpen: boolean) =>
    void navigate({ search: (before) => ({ ...before, open: isOpen ? 'new' : undefined }), replace: true });
  const [environmentToDelete, setEnvironmentToDelete] = useState<Environment | null>(null);
  const remove = useDeleteEnvironment();
  const create = (
    <ActionButton role="operator" icon={IconPlus} variant="filled" onClick={() => showNew(true)}>
      New environment
    </ActionButton>
  );
  return (
    <>
      <PageHeader
        title="Environments"
        description="Named sets of servers. A plan runs in one of them; each server belongs to exactly one."
        actions={create}
      />
      <Group mb="md">
        <SearchField
          label="Search environments"
          value={q ?? ''}
          onChange={(value) => void navigate({ search: { q: value || undefined }, replace: true })}
        />
      </Group>
      <EnvironmentTable
        list={listState(environments)}
        onEdit={setEditedEnvironment}
        onDelete={setEnvironmentToDelete}
        empty={
          <EmptyState
            icon={IconStack2}
            title={q ? 'No environments match this search' : 'No environments yet'}
            action={q ? undefined : create}
            needsGrant={!q}
          >
            An environment is a named set of servers, such as staging or production.
          </EmptyState>
        }
      />
      {open === 'new' && <EnvironmentDialog current={null} onClose={() => showNew(false)} />}
      {editedEnvironment && (
        <EnvironmentDialog current={editedEnvironment} onClose={() => setEditedEnvironment(null)} />
      )}
      <DeleteDialog
        record={environmentToDelete}
        name={environmentToDelete?.name}
        confirm="Delete environment"
        remove={remove}
        onDeleted={() => setEnvironmentToDelete(null)}
        onClose={() => setEnvironmentToDelete(null)}
      >
        An environment with servers or plans cannot be deleted.
      </DeleteDialog>
    </>
  );
}
